/** Scans JSON text before it is parsed. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanJson } from '../../src/lib/json/scan-json.ts'

describe('scanJson', () => {
  it.each([
    ['1', 0, 0, 0],
    ['[]', 1, 1, 0],
    ['[[],{}]', 2, 3, 1],
    ['{"a":[1,2,3]}', 2, 2, 2],
    ['"[[[,,,"', 0, 0, 0],
    ['["\\"[[,"]', 1, 1, 0],
    ['["\\\\",[]]', 2, 2, 1],
  ])('finds in %s %i levels, %i containers, %i commas', (text, levels, containers, commas) => {
    expect(scanJson(text)).toEqual({ levels, containers, commas })
  })

  it.each([
    ['{"args": 9007199254740993}', ' 9007199254740993'],
    ['{"script":"args","args":[1,{"args":2}],"x":"}"}', '[1,{"args":2}]'],
    ['{"args":1,"args":"2"}', '"2"'],
    ['{"\\u0061rgs":"a,b}"}', '"a,b}"'],
    ['{"a":{"args":1}}', undefined],
    ['{"a":"args","b":1}', undefined],
    ['["args",1]', undefined],
  ])('returns the raw field of %s: %j', (text, field) => {
    expect(scanJson(text, 'args').field).toBe(field)
  })

  it('finds the same field as a parser', () => {
    const name = fc.constantFrom('args', 'script', 'a"r', 'x\\')
    const body = fc.dictionary(name, fc.jsonValue())
    fc.assert(
      fc.property(body, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { field } = scanJson(text, 'args')
        const { args } = JSON.parse(text) as { args?: unknown }
        expect(field === undefined ? undefined : JSON.parse(field)).toEqual(args)
      }),
    )
  })

  it.each(['{"args":', '"', '{"args":"', '}}}', '{"args" 1,:', '\\"'])(
    'accepts invalid JSON: %j',
    (text) => {
      expect(() => scanJson(text, 'args')).not.toThrow()
    },
  )
})
