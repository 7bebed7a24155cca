/** Integers survive JSON exactly; invalid JSON of others is ignored. */
import { expect, it } from 'vitest'
import { findJson, parseExact, stringifyExact } from '../../../src/sdk/call/exact-json.ts'

it.each([
  '9223372036854775807',
  '-9223372036854775808',
  '{"a":[9007199254740993,-9007199254740993,1,1.5]}',
  '9007199254740992',
  '"12345678901234567890"',
  '{"__proto__":12345678901234567}',
])('%s stays exact', (json) => {
  expect(stringifyExact(parseExact(json))).toBe(json)
})

it('fractions and integers beyond 64 bits become numbers', () => {
  expect(parseExact('[1234567890123456.5, 1e20, 123456789012345678901234]')).toEqual([
    1_234_567_890_123_456.5,
    1e20,
    Number('123456789012345678901234'),
  ])
  expect(parseExact('1'.repeat(2_000_000))).toBe(Infinity)
})

it.each<[string, string]>([
  ['nothing', ''],
  ['half of it', '{"a":[1,2'],
  ['a page', '<html>'],
  ['deep lists', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['deep tables', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
])('findJson returns undefined for %s', (_, text) => {
  expect(findJson(text)).toBeUndefined()
})

it('brackets in strings do not count as levels', () => {
  const text = JSON.stringify({ a: `${'['.repeat(1000)}"\\`, b: [[[1]]] })
  expect(findJson(text)).toEqual(JSON.parse(text))
})
