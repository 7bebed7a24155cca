/** Content types by name, and which of them a browser would run. */
import { describe, expect, it } from 'vitest'
import { isActiveType } from '../../src/files/content-type.ts'
import { contentTypeOf } from '../../src/files/content-type.ts'

it.each([
  ['output/rows.csv', 'text/csv; charset=utf-8'],
  ['REPORT.HTML', 'text/html; charset=utf-8'],
  ['data.json', 'application/json'],
  ['config.yaml', 'application/yaml'],
  ['config.yml', 'application/yaml'],
  ['notes.md', 'text/markdown; charset=utf-8'],
  ['rows.jsonl', 'application/x-ndjson'],
  ['paper.pdf', 'application/pdf'],
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

describe('isActiveType', () => {
  it.each([
    'text/html',
    'TEXT/HTML ; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/xml',
    'text/xml',
    'text/xsl',
    'application/atom+xml',
    'text/javascript; charset=utf-8',
    'application/javascript',
    'application/ecmascript',
  ])('is true for %s', (type) => {
    expect(isActiveType(type)).toBe(true)
  })

  it.each([
    'text/plain; charset=utf-8',
    'text/plain; name=a.html; x=text/html',
    'text/csv',
    'text/css',
    'text/markdown',
    'application/json',
    'application/pdf',
    'application/octet-stream',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'image/png',
    '',
  ])('is false for %j', (type) => {
    expect(isActiveType(type)).toBe(false)
  })

  it.each(['a.html', 'a.HTM', 'a.svg', 'a.xml', 'a.js', 'a.mjs'])(
    'is true for the type of %s',
    (name) => {
      expect(isActiveType(contentTypeOf(name))).toBe(true)
    },
  )
})
