/** What somebody probably meant, and nothing when nobody can tell. */
import { expect, it } from 'vitest'
import { didYouMean, nearest, quoteName } from '../../../src/sdk/catalog/nearest.ts'

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

it('is a sentence, or nothing', () => {
  expect(didYouMean('issue_lists', NAMES)).toBe('; did you mean "issues_list"?')
  expect(didYouMean('xyzzy', NAMES)).toBe('')
})

it('is not looked for among texts that nobody types', () => {
  const long = 'a'.repeat(1_000_000)
  expect(nearest(long, [long.slice(1)])).toEqual([])
  expect(nearest('aaaa', [long])).toEqual([])
  expect(quoteName(long)).toBe(`"${'a'.repeat(100)}…"`)
})
