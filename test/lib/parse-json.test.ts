/** JSON is parsed correctly, even where the engine's parser is wrong. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/lib/json/parse-json.ts'
import { findJson } from '../../src/sdk/call/exact-json.ts'

/** While these are alive, V8 13.6 takes keys of other objects for theirs. */
const alive = [JSON.parse('{"a":1,"\\\\u":2}'), JSON.parse('{"b":1,"\\\\":2}')]

describe('parseJson', () => {
  it.each([
    ['{"b":1,"\\n":2}', ['b', '\n']],
    ['{"a":1,"\\u0000x":2}', ['a', '\0x']],
    ['{"b":1,"\\\\":2}', ['b', '\\']],
    ['{"b":1,"\\"":2}', ['b', '"']],
    ['{"b":1,"__proto__":2,"\\n" :3}', ['b', '__proto__', '\n']],
  ])('reads the keys of %s', (text, keys) => {
    expect(alive).toHaveLength(2)
    expect(Object.keys(parseJson(text) as object)).toEqual(keys)
    expect(Object.keys(findJson(text) as object)).toEqual(keys)
  })

  it('reads every value', () => {
    const spaced = fc.constantFrom(undefined, 1, '\t')
    fc.assert(
      fc.property(fc.jsonValue(), spaced, (value, space) => {
        const text = JSON.stringify({ '\n': value, b: 1 }, null, space)
        expect(parseJson(text)).toEqual({ '\n': JSON.parse(JSON.stringify(value)), b: 1 })
      }),
    )
  })

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['[-9223372036854775808, 1]', ['-9223372036854775808', 1]],
    ['{"n": 1e400, "m": 1234567890.1234567}', { n: Infinity, m: 1234567890.1234567 }],
    ['"9007199254740993"', '9007199254740993'],
  ])('passes large integers of %s to the callback', (text, value) => {
    expect(parseJson(text, (digits) => digits)).toEqual(value)
  })

  it.each(['', '{', '{"\\n":}', '[1,]', '"\\x"', '{"\\n":1} 2'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})
