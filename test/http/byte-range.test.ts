/** What a request's conditions and ranges ask for. */
import { describe, expect, it } from 'vitest'
import { entityTag } from '../../src/lib/etag.ts'
import { contentRange, parseRange, selectBytes } from '../../src/http/files/byte-range.ts'

const FILE = { bytes: 10, etag: 'v1', modifiedAt: new Date('2026-11-15T10:00:00.750Z') }
const MODIFIED = 'Sun, 15 Nov 2026 10:00:00 GMT'
const EARLIER = 'Sun, 15 Nov 2026 09:59:59 GMT'
const LATER = 'Sun, 15 Nov 2026 10:00:01 GMT'
const FIRST_TWO = { offset: 0, length: 2 }

function select(headers: Record<string, string>, method = 'GET') {
  return selectBytes(new Request('https://h/', { method, headers }), FILE)
}

describe('a range of ten bytes', () => {
  it.each([
    ['bytes=0-0', { offset: 0, length: 1 }],
    ['bytes=0-9', { offset: 0, length: 10 }],
    ['bytes=2-4', { offset: 2, length: 3 }],
    ['bytes=9-9', { offset: 9, length: 1 }],
    ['bytes=5-', { offset: 5, length: 5 }],
    ['bytes=5-99', { offset: 5, length: 5 }],
    [`bytes=5-${'9'.repeat(400)}`, { offset: 5, length: 5 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-99', { offset: 0, length: 10 }],
    ['BYTES= 2-4 ', { offset: 2, length: 3 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-20', 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['bytes=0-1,', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['bytes=--1', 'whole'],
    ['bytes=0x0-0x1', 'whole'],
    ['lines=0-1', 'whole'],
    ['', 'whole'],
  ])('%s is %j', (header, selection) => {
    expect(parseRange(header, 10)).toEqual(selection)
  })

  it.each([
    ['bytes=0-', 'unsatisfiable'],
    ['bytes=0-0', 'unsatisfiable'],
    ['bytes=-5', 'whole'],
  ])('%s of an empty file is %j', (header, selection) => {
    expect(parseRange(header, 0)).toEqual(selection)
  })

  it('is reported with its last byte and the size', () => {
    expect(contentRange({ offset: 2, length: 3 }, 10)).toBe('bytes 2-4/10')
  })
})

describe('If-None-Match', () => {
  it.each([
    ['"v1"', 'unchanged'],
    ['W/"v1"', 'unchanged'],
    ['"a", "v1"', 'unchanged'],
    ['"a,b",W/"v1"', 'unchanged'],
    ['*', 'unchanged'],
    [' * ', 'unchanged'],
    ['"v2"', 'whole'],
    ['"a, "v1', 'whole'],
    ['v1', 'whole'],
    ['"V1"', 'whole'],
    ['"*"', 'whole'],
    ['', 'whole'],
  ])('%s makes it %s', (tags, selection) => {
    expect(select({ 'if-none-match': tags })).toBe(selection)
    expect(select({ 'if-none-match': tags }, 'HEAD')).toBe(selection)
  })

  it('outranks If-Modified-Since', () => {
    expect(select({ 'if-none-match': '"v2"', 'if-modified-since': LATER })).toBe('whole')
    expect(select({ 'if-none-match': '"v1"', 'if-modified-since': EARLIER })).toBe('unchanged')
  })

  it('outranks a range', () => {
    expect(select({ 'if-none-match': '"v1"', range: 'bytes=0-1' })).toBe('unchanged')
    expect(select({ 'if-none-match': '"v2"', range: 'bytes=0-1' })).toEqual(FIRST_TWO)
  })
})

it.each([
  [MODIFIED, 'unchanged'],
  [LATER, 'unchanged'],
  [EARLIER, 'whole'],
  ['Sunday, 15-Nov-26 10:00:01 GMT', 'whole'],
  ['2026-11-15T10:00:01Z', 'whole'],
  ['Sun, 99 Nov 2026 10:00:01 GMT', 'whole'],
  ['yesterday', 'whole'],
  ['', 'whole'],
])('If-Modified-Since %s makes it %s', (date, selection) => {
  expect(select({ 'if-modified-since': date })).toBe(selection)
})

describe('If-Range', () => {
  it.each([
    ['"v1"', FIRST_TWO],
    [MODIFIED, FIRST_TWO],
    ['W/"v1"', 'whole'],
    ['"v2"', 'whole'],
    ['v1', 'whole'],
    [EARLIER, 'whole'],
    [LATER, 'whole'],
    ['', 'whole'],
  ])('%s makes it %j', (condition, selection) => {
    expect(select({ 'if-range': condition, range: 'bytes=0-1' })).toEqual(selection)
  })

  it('of another version makes even an impossible range the whole file', () => {
    expect(select({ 'if-range': '"v2"', range: 'bytes=99-' })).toBe('whole')
  })

  it('without a range means nothing', () => {
    expect(select({ 'if-range': '"v1"' })).toBe('whole')
  })
})

it('a range means nothing for HEAD', () => {
  expect(select({ range: 'bytes=0-1' }, 'HEAD')).toBe('whole')
})

it.each([
  ['v1', '"v1"'],
  ['"d41d8-2"', '"d41d8-2"'],
  ['a"b c\r\né', '"a%22b%20c%0D%0A%C3%A9"'],
])('the etag %j is written %s', (etag, tag) => {
  expect(entityTag(etag)).toBe(tag)
})
