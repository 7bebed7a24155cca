/** Glob patterns of names. */
import { expect, it } from 'vitest'
import { matchesGlob } from '../../../src/sdk/catalog/names.ts'

it.each<[string, readonly string[], readonly string[]]>([
  ['pets', ['pets'], ['pet', 'petss', 'PETS', '']],
  ['pets*', ['pets', 'pets_list'], ['apets']],
  ['*list', ['list', 'pets_list'], ['lists']],
  ['*pet*', ['pet', 'a_pet_b'], ['pt']],
  ['p?t', ['pet', 'pat'], ['pt', 'peet']],
  ['*', ['', 'anything', 'a\nb'], []],
  ['**', ['', 'a'], []],
  ['', [''], ['a']],
  ['a.b', ['a.b'], ['axb']],
  ['a[b]+(c)|^$\\', ['a[b]+(c)|^$\\'], ['ab']],
  ['*a*b', ['aab', 'xaxb', 'abab'], ['ba', 'aba']],
])('%j', (pattern, good, bad) => {
  expect(good.filter((name) => !matchesGlob(pattern, name))).toEqual([])
  expect(bad.filter((name) => matchesGlob(pattern, name))).toEqual([])
})

it('has no exponential backtracking', () => {
  expect(matchesGlob('*a'.repeat(40), `${'a'.repeat(5000)}b`)).toBe(false)
})
