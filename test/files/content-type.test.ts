/** Content types by name. */
import { expect, it } from 'vitest'
import { contentTypeOf } from '../../src/files/content-type.ts'

it.each([
  ['output/rows.csv', 'text/csv; charset=utf-8'],
  ['REPORT.HTML', 'text/html; charset=utf-8'],
  ['data.json', 'application/json'],
  ['logo.svg', 'image/svg+xml'],
  ['table.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['backup.tar.gz', 'application/gzip'],
  ['noextension', 'application/octet-stream'],
  ['a.csv/data', 'application/octet-stream'],
  ['x/.json', 'application/octet-stream'],
  ['what.unknown', 'application/octet-stream'],
  ['trap.constructor', 'application/octet-stream'],
  ['ends.', 'application/octet-stream'],
])('%j is %s', (path, type) => {
  expect(contentTypeOf(path)).toBe(type)
})
