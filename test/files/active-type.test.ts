/** Which types a browser would run. */
import { describe, expect, it } from 'vitest'
import { isActiveType, contentTypeOf } from '../../src/files/content-type.ts'

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
    'knows %s by its name',
    (name) => {
      expect(isActiveType(contentTypeOf(name))).toBe(true)
    },
  )
})
