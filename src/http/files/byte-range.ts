/** Evaluates conditional and range requests (RFC 9110). */
import type { StoreRange as ByteRange } from '../../files/store/area-store.ts'
import { entityTag, matchesTag } from '../../lib/etag.ts'
import type { ObjectInfo } from '../../storage/driver.ts'

/** The validators and size of a stored file. */
export type FileVersion = Pick<ObjectInfo, 'bytes' | 'etag' | 'modifiedAt'>

/** `unchanged` is a 304, `unsatisfiable` a 416. */
type Selection = ByteRange | 'whole' | 'unchanged' | 'unsatisfiable'

/** Conditions take precedence over ranges, and ranges apply to GET only. */
export function selectBytes(request: Request, file: FileVersion): Selection {
  const { method, headers } = request
  if (isUnchanged(headers, file)) return 'unchanged'
  const range = headers.get('range')
  if (range === null || method !== 'GET' || !isRangeOfSame(headers, file)) return 'whole'
  return parseRange(range, file.bytes)
}

/** The `Content-Range` value for a range of a file of `bytes` bytes. */
export function contentRange({ offset, length }: ByteRange, bytes: number): string {
  return `bytes ${offset}-${offset + length - 1}/${bytes}`
}

/** Malformed and multiple ranges select the whole file. */
export function parseRange(header: string, bytes: number): Exclude<Selection, 'unchanged'> {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header)
  if (!match) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? 'whole' : suffix(Number(last), bytes)
  const offset = Number(first)
  const end = last === '' ? bytes : Math.min(Number(last) + 1, bytes)
  if (last !== '' && Number(last) < offset) return 'whole'
  return offset < bytes ? { offset, length: end - offset } : 'unsatisfiable'
}

function suffix(length: number, bytes: number): Exclude<Selection, 'unchanged'> {
  if (length === 0) return 'unsatisfiable'
  // A suffix of an empty file is all of it, which `Content-Range` cannot express.
  if (bytes === 0) return 'whole'
  return { offset: Math.max(0, bytes - length), length: Math.min(length, bytes) }
}

function isUnchanged(headers: Headers, { etag, modifiedAt }: FileVersion): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return matchesTag(tags, entityTag(etag))
  const since = parseHttpDate(headers.get('if-modified-since'))
  return since !== null && wholeSeconds(modifiedAt) <= since
}

/** Whether `If-Range` is absent or matches this version; weak tags never match. */
function isRangeOfSame(headers: Headers, { etag, modifiedAt }: FileVersion): boolean {
  const condition = headers.get('if-range')?.trim()
  if (condition === undefined || condition === entityTag(etag)) return true
  return parseHttpDate(condition) === wholeSeconds(modifiedAt)
}

/** IMF-fixdate only; ignoring a date costs a transfer but is always correct. */
function parseHttpDate(text: string | null): number | null {
  if (text === null || !/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** HTTP dates have no fractions. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
