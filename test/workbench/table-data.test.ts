/** What a table is made of, without a page. */
import { expect, it } from 'vitest'
import { findLines, toBlob } from '../../src/site/workbench/files/file-text.ts'
import { linkOf, MAX_LINK_LENGTH, scriptIn } from '../../src/site/workbench/editor/share-link.ts'
import {
  sortedRows,
  tableOfCsv,
  tableOfObjects,
  toCsv,
} from '../../src/site/workbench/table/table-data.ts'

it.each([
  ['a number', 1],
  ['an object', { a: 1 }],
  ['an empty list', []],
  ['a list of lists', [[1], [2]]],
  ['a list with something else in it', [{ a: 1 }, null]],
  ['a list of empty objects', [{}, {}]],
  ['a list of maps', [Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))]],
])('%s is no table', (_, value) => {
  expect(tableOfObjects(value)).toBeNull()
})

it('columns are all keys, in the order in which they appear', () => {
  expect(tableOfObjects([{ b: 1 }, { a: 2, b: 3 }])).toEqual({
    columns: ['b', 'a'],
    rows: [
      [1, undefined],
      [3, 2],
    ],
  })
})

it.each([
  ['numbers by value', [10, 9, 1e3], [1, 0, 2]],
  ['numbers in texts by value', ['10', '9', '-1'], [2, 1, 0]],
  ['texts by letters, not by case', ['b', 'A', 'C'], [1, 0, 2]],
  ['texts with numbers by these', ['n10', 'n9'], [1, 0]],
  ['numbers before texts, nothing last', ['x', null, 2, undefined], [2, 0, 1, 3]],
  ['equals as they were', ['a', 'a', 'a'], [0, 1, 2]],
])('sorts %s', (_, values, order) => {
  const data = { columns: ['c'], rows: values.map((value) => [value]) }
  expect(sortedRows(data, { column: 0, isDescending: false })).toEqual(order)
})

it('keeps what is empty last in the other direction', () => {
  const data = { columns: ['c'], rows: [[null], [1], [2]] }
  expect(sortedRows(data, { column: 0, isDescending: true })).toEqual([2, 1, 0])
})

it('writes CSV that is read as the same cells', () => {
  const data = { columns: ['a', 'b,c'], rows: [['x "y"\nz', { n: [1] }], [true]] }
  expect(toCsv(data, [1, 0], [1, 0])).toBe('"b,c",a\r\n,true\r\n"{""n"":[1]}","x ""y""\nz"\r\n')
})

it('takes rows of a CSV that are longer than its head', () => {
  expect(tableOfCsv([['a'], ['1', '2']]).columns).toEqual(['a', ''])
  expect(tableOfCsv([])).toEqual({ columns: [], rows: [] })
})

it('a script survives its link', () => {
  const page = { origin: 'https://moon.example', pathname: '/' }
  const script = 'print("ä 🌙 % # & \\n")\n\treturn {}'
  expect(scriptIn(new URL(linkOf(script, page)!).hash)).toBe(script)
  expect(scriptIn('#script')).toBeNull()
  expect(scriptIn('')).toBeNull()
  expect(scriptIn('#script=%')).toBeUndefined()
  expect(linkOf('\ud800', page)).toContain('%EF%BF%BD')
  expect(linkOf('x'.repeat(MAX_LINK_LENGTH), page)).toBeNull()
})

it.each(['', 'a\nb\n', 'a\r\nb\r\n', '\ufeffbom\n', 'no end'])(
  '%j is stored as it was',
  async (text) => {
    const bytes = new TextEncoder().encode(text)
    const found = findLines({ bytes, totalBytes: bytes.length, etag: '"x"' })!
    expect(found.text).not.toContain('\r')
    const stored = new Uint8Array(await toBlob(found.text, found).arrayBuffer())
    expect([...stored]).toEqual([...bytes])
  },
)

it.each([
  ['mixed line ends', 'a\r\nb\n'],
  ['a lone carriage return', 'a\rb'],
  ['a NUL', 'a\0b'],
])('%s cannot be edited', (_, text) => {
  const bytes = new TextEncoder().encode(text)
  expect(findLines({ bytes, totalBytes: bytes.length, etag: '' })).toBeUndefined()
})

it('what is not UTF-8, or only a part, cannot be edited', () => {
  expect(findLines({ bytes: new Uint8Array([0xff]), totalBytes: 1, etag: '' })).toBeUndefined()
  expect(findLines({ bytes: new Uint8Array([65]), totalBytes: 2, etag: '' })).toBeUndefined()
})
