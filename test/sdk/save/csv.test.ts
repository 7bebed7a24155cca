/** Rows as CSV. */
import { describe, expect, it } from 'vitest'
import { CsvFormat } from '../../../src/sdk/save/csv.ts'
import { ByteSink } from '../../../src/vm/json/sinks.ts'

function csvOf(rows: readonly string[], columns?: readonly string[]): string {
  const format = new CsvFormat(columns)
  const sink = new ByteSink()
  for (const row of rows) format.write(new TextEncoder().encode(row), sink)
  return new TextDecoder().decode(sink.written)
}

describe('CSV', () => {
  it.each<[string, string]>([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['return\rhere', '"return\rhere"'],
    [' spaces ', ' spaces '],
    ['é 日本 🦜', 'é 日本 🦜'],
    ['', ''],
    ['=1+1', "'=1+1"],
    ['@a,b', '"\'@a,b"'],
    ['-5', '-5'],
  ])('writes %j as %s', (text, written) => {
    expect(csvOf([JSON.stringify({ a: text, b: 1 })])).toBe(`a,b\r\n${written},1\r\n`)
  })

  it('keeps numbers as they were, and nested values as JSON', () => {
    const row =
      '{"id":9223372036854775808,"rate":0.10,"on":true,"none":null,"tags":["a","b"],"at":{"x":"}","y":[]}}'
    expect(csvOf([row])).toBe(
      'id,rate,on,none,tags,at\r\n9223372036854775808,0.10,true,,"[""a"",""b""]","{""x"":""}"",""y"":[]}"\r\n',
    )
  })

  it('takes its columns from the first row, or as they are given', () => {
    const rows = ['{"b":1,"a":2}', '{"a":3,"c":4}', '{}']
    expect(csvOf(rows)).toBe('b,a\r\n1,2\r\n,3\r\n,\r\n')
    expect(csvOf(rows, ['a', 'x,y'])).toBe('a,"x,y"\r\n2,\r\n3,\r\n,\r\n')
  })

  it('writes no empty line, which readers skip', () => {
    expect(csvOf(['{"a":1}', '{"a":null}', '{}', '{"a":""}'])).toBe('a\r\n1\r\n""\r\n""\r\n""\r\n')
  })

  it('refuses a first row without fields, which would lose those of the others', () => {
    expect(() => csvOf(['{}', '{"a":1}'])).toThrow('the first row has no fields')
    expect(csvOf(['{}', '{"a":1}'], ['a'])).toBe('a\r\n""\r\n1\r\n')
  })

  it('reads keys with escapes', () => {
    expect(csvOf([String.raw`{"a\"b":"\u00e9","\\":"]"}`])).toBe('"a""b",\\\r\né,]\r\n')
  })

  it.each(['1', '"a"', '[1]', 'null'])('refuses the row %s', (row) => {
    expect(() => csvOf([row])).toThrow('CSV needs rows that are objects')
  })
})
