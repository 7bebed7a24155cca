/** Suggestions for misspelt names. */
import { expect, it } from 'vitest'
import { didYouMean, nearest, quoteName } from '../../../src/sdk/catalog/names.ts'

const NAMES = ['issues_list', 'issues_create', 'repos_get', 'id', 'pulls_list_reviews']

it.each<[string, string[]]>([
  ['issue_list', ['issues_list']],
  ['ISSUES_LIST', ['issues_list']],
  ['issues', ['issues_list', 'issues_create']],
  ['list', ['issues_list', 'pulls_list_reviews']],
  ['repos_gte', ['repos_get']],
  ['valid', []],
  ['something else entirely', []],
  ['', ['id']],
])('%j', (asked, names) => {
  expect(nearest(asked, NAMES)).toEqual(names)
})

it('didYouMean is a phrase, or empty', () => {
  expect(didYouMean('issue_lists', NAMES)).toBe('; did you mean "issues_list"?')
  expect(didYouMean('xyzzy', NAMES)).toBe('')
})

it('very long names have no nearest name', () => {
  const long = 'a'.repeat(1_000_000)
  expect(nearest(long, [long.slice(1)])).toEqual([])
  expect(nearest('aaaa', [long])).toEqual([])
  expect(quoteName(long)).toBe(`"${'a'.repeat(100)}…"`)
})
