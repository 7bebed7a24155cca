/** What a search looks for before it matches. */
import { expect, it } from 'vitest'
import { requiredIn, type Required } from '../../src/operations/files/search/required-text.ts'

it.each([
  ['total: \\d+', 'the total: 5', 4],
  ['^a.+bcd$', 'a bcd', 2],
  ['(foo|bar)baz', 'xfoobaz', 4],
  ['(ab){23}xy', 'ababxy', 4],
  ['(?:a|b){2}xy?z', 'xz and xyz', -1],
  ['zzz|yy', 'a yy', 2],
  ['(?i)Kelvin', 'in \u212aELVIN', 3],
  ['[0-9]{3}', 'a 12 345', 5],
  ['[a-z]+@[a-z]+', 'to me@home', 4],
  ['a{2,}b', 'aaab', 1],
  ['\\d\\d-', '1- 22-', 3],
  ['x\\.y', 'xay x.y', 4],
  ['ab [0-9]{2}$', 'ab 123 ab 45', 7],
  ['ab [0-9]{2}$', 'ab 45\r', 0],
  ['\\wab', '-ab xab', 5],
  ['[^0]ab', '0ab', 1],
])('of %j in %j is at %i', (pattern, text, at) => {
  expect(find(requiredIn(pattern), text)).toBe(at)
})

it.each([
  'a',
  'a*b*',
  '.*',
  '(abc)',
  'abc|d*',
  '\\x41bc',
  'a(?i)bc',
  '(?s)a.b',
  '\\pLab',
  '[^a]*x?',
])('of %j is not known', (pattern) => {
  expect(requiredIn(pattern)).toBeUndefined()
})

/** The first that fits. */
function find(required: Required | undefined, text: string): number {
  if (!required) return -1
  if ('find' in required) return required.find(text, 0)
  const lines = Buffer.from(text)
  let at = lines.indexOf(required.bytes)
  while (at !== -1 && !required.fitsAt(lines, at)) at = lines.indexOf(required.bytes, at + 1)
  return at
}
