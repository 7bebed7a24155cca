/** Values of Parquet as scripts see them. */
import type { ParquetParsers } from 'hyparquet'
import { toBase64 } from '../../lib/encode.ts'

const decoder = new TextDecoder()

/** Times are ISO 8601 in UTC, with the digits that are stored. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => isoTime(millis, 3),
  timestampFromMicroseconds: (micros) => isoTime(micros, 6),
  timestampFromNanoseconds: (nanos) => isoTime(nanos, 9),
  dateFromDays: (days) => isoTime(BigInt(days) * 86_400n, 0)?.slice(0, 10),
  stringFromBytes: (bytes) => (bytes ? decoder.decode(bytes) : null),
  jsonFromBytes: (bytes) => (bytes ? decoder.decode(bytes) : null),
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
}

/** Bytes become base64, since a table of rows holds text. */
export function plainValue(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value !== 'object') return value
  if (value instanceof Uint8Array) return toBase64(value)
  if (Array.isArray(value)) return value.map(plainValue)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainValue(field)]))
}

/** `undefined` for a time beyond the years 1 to 9999. */
function isoTime(count: bigint | number | undefined, digits: number): string | undefined {
  if (count === undefined || count === null) return undefined
  const scale = 10n ** BigInt(digits)
  const whole = BigInt(count)
  const fraction = ((whole % scale) + scale) % scale
  const date = new Date(Number((whole - fraction) / scale) * 1000)
  const year = date.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return undefined
  const seconds = date.toISOString().slice(0, 19)
  return digits === 0 || fraction === 0n
    ? `${seconds}Z`
    : `${seconds}.${fraction.toString().padStart(digits, '0')}Z`
}
