/** Encodings agree with Node's Buffer, also beyond the size of one call. */
import { describe, expect, it } from 'vitest'
import {
  fromBase64,
  fromBase64url,
  fromHex,
  fromLatin1,
  percentEncode,
  toBase64,
  toBase64url,
  toHex,
  toLatin1,
} from '../../src/lib/encode.ts'

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 167) % 256)

describe.each([0, 1, 2, 3, 255, 24_576, 24_577, 200_000])('%s bytes', (length) => {
  const bytes = bytesOf(length)

  it.each([
    ['hex', toHex, fromHex],
    ['base64', toBase64, fromBase64],
    ['base64url', toBase64url, fromBase64url],
    ['latin1', toLatin1, fromLatin1],
  ] as const)('survive %s', (encoding, write, read) => {
    const text = write(bytes)
    expect(text === Buffer.from(bytes).toString(encoding)).toBe(true)
    expect(Buffer.from(bytes).equals(read(text)!)).toBe(true)
  })
})

it.each(['A', 'AAAAA', 'AA=A', 'A===', '====', 'AA AA', 'A-_A', '\u00e9AAA'])(
  '%j is not base64',
  (text) => {
    expect(fromBase64(text)).toBeNull()
  },
)

it.each(['0', '0g', 'g0', ' 0', '\u00e90'])('%j is not hex', (text) => {
  expect(fromHex(text)).toBeNull()
})

it.each(['A', 'AB', 'AA==', 'A+/A', 'AA AA', '\u00e9AAA'])('%j is not base64url', (text) => {
  expect(fromBase64url(text)).toBeNull()
})

it('percentEncode keeps only the unreserved characters of RFC 3986', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  expect(ascii.filter((character) => percentEncode(character) === character).join('')).toBe(
    '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~',
  )
  expect(percentEncode('ü👍')).toBe('%C3%BC%F0%9F%91%8D')
})
