/** Patterns of paths: what they match, and that none of them takes long. */
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { parseGlob } from '../../src/operations/files/glob.ts'

describe.each([
  ['a', ['a'], ['A', 'aa', 'b/a', 'a/b', '']],
  ['*', ['a', '.a', 'a b'], ['a/b']],
  ['*.csv', ['a.csv', '.csv'], ['a.csv.gz', 'd/a.csv', 'acsv']],
  ['a*b*c', ['abc', 'aXbYc', 'abbcc', 'abcbc'], ['ab', 'acb', 'a/b/c']],
  ['?', ['a', 'é', '日', '😀'], ['', 'ab', '/']],
  ['a?c', ['abc', 'a😀c'], ['ac', 'a/c']],
  ['**', ['a', 'a/b', 'a/b/c'], []],
  ['**/a', ['a', 'x/a', 'x/y/a'], ['a/x', 'xa']],
  ['a/**', ['a', 'a/b', 'a/b/c'], ['ab', 'b/a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/bb', 'xa/b', 'a/b/x']],
  ['**/x/**/*.md', ['x/a.md', 'p/x/q/r/a.md'], ['p/a.md', 'x.md']],
  ['a**b', ['ab', 'axb'], ['a/b']],
  ['[abc]', ['a', 'c'], ['d', 'ab', '']],
  ['[a-c]1', ['a1', 'b1'], ['d1', '-1']],
  ['[!a-c]', ['d', '-', '😀'], ['a', 'b', '']],
  ['[^a]', ['b', '^'], ['a']],
  ['[]]', [']'], ['[', 'a']],
  ['[!]]', ['a'], [']']],
  ['[a-]', ['a', '-'], ['b']],
  ['[c-a]', [], ['a', 'b', 'c', '-']],
  ['[x0-9a-cb-e]', ['x', '0', '9', 'a', 'd', 'e'], ['f', 'y', '-']],
  ['[!x0-9a-cb-e]', ['f', 'y', '-', '\u{10ffff}'], ['x', '0', '9', 'a', 'd', 'e']],
  ['[é-😀]', ['é', '日', '😀'], ['e', '😁']],
  ['[*?]', ['*', '?'], ['a']],
  ['[', ['['], ['a']],
  ['a[', ['a['], ['a']],
  ['[]', ['[]'], ['a']],
  ['[{]x,y}', ['{x,y}'], ['x', 'y']],
  ['{a,b}', ['a', 'b'], ['c', 'ab', '{a,b}']],
  ['{a,b}{c,d}', ['ac', 'bd'], ['ab', 'a']],
  ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'ad']],
  ['x{,.gz}', ['x', 'x.gz'], ['x.']],
  ['{a/b,c/**}/d', ['a/b/d', 'c/d', 'c/x/d'], ['a/d']],
  ['{a}', ['{a}'], ['a']],
  ['{a', ['{a'], ['a']],
  ['a}', ['a}'], ['a']],
  ['a.b', ['a.b'], ['axb']],
  ['(a|b)+$', ['(a|b)+$'], ['a']],
  ['日*', ['日本', '日'], ['本']],
])('%j', (pattern, matching, others) => {
  it.each(matching)('matches %j', (path) => {
    expect(parseGlob(pattern).matches(path)).toBe(true)
  })

  it.each(others)('does not match %j', (path) => {
    expect(parseGlob(pattern).matches(path)).toBe(false)
  })
})

describe('a pattern made to take forever', () => {
  it.each([
    ['stars in a name', '*a'.repeat(255), 'a'.repeat(511)],
    ['stars in a name, and no end', `${'*a'.repeat(250)}b`, 'a'.repeat(511)],
    ['stars over folders', `${'**/'.repeat(160)}b`, 'a/'.repeat(255) + 'a'],
    ['both', `${'**/*a*/'.repeat(60)}b`, 'aa/'.repeat(170)],
  ])('is answered: %s', (_, pattern, path) => {
    const glob = parseGlob(pattern)
    for (let i = 0; i < 100; i++) glob.matches(path)
    expect(glob.matches(path)).toBe(pattern.startsWith('*a') && pattern.endsWith('a'))
  })

  it.each([
    ['characters', `*${'a'.repeat(250)}${'{b,c}'.repeat(8)}`],
    ['ranges', `[acegikmoqsuwy0246]${'{b,c}'.repeat(8)}`],
    ['folders', `${'**/'.repeat(100)}${'{b,c}'.repeat(8)}`],
  ])('is refused for all its %s', (_, pattern) => {
    expect(() => parseGlob(pattern)).toThrow('pattern: is too complex. Ask for less at once.')
  })

  it.each([
    ['names', `*${'a'.repeat(250)}b`, 'a'.repeat(511)],
    ['classes', `*[bdfhjlnprtvxz]`.repeat(30), '~'.repeat(511)],
    ['folders', `${'**/a/'.repeat(50)}b`, 'a/'.repeat(255)],
  ])('is given up after a number of paths: %s', (_, pattern, path) => {
    const glob = parseGlob(pattern)
    expect(() => {
      for (let i = 0; i < 100_000; i++) glob.matches(path)
    }).toThrow('Narrow the pattern or the folder.')
  })

  it.each(['{a,b}'.repeat(9), '{a,b}'.repeat(100), '{{a,b},{c,d}}'.repeat(8)])(
    'has too many alternatives: %s',
    (pattern) => {
      expect(() => parseGlob(pattern)).toThrow(AppError)
    },
  )
})
