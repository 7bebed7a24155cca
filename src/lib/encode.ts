/** Encodes bytes as text: Node 24 lacks `toHex` and `toBase64` of byte arrays. */

/** A multiple of three, so that base64 has no padding between chunks. */
const CHUNK_BYTES = 24_576

const HEX = digitsOf('0123456789abcdef', '0123456789ABCDEF')
const BASE64 = digitsOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')

export function toHex(bytes: Uint8Array): string {
  return encodeChunks(bytes, (chunk) => {
    const digits = new Uint8Array(2 * chunk.length)
    for (let i = 0; i < chunk.length; i++) {
      digits[2 * i] = hexDigit(chunk[i]! >> 4)
      digits[2 * i + 1] = hexDigit(chunk[i]! & 15)
    }
    return textOfUnits(digits)
  })
}

/** `null` for an odd number of digits or any other character. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 !== 0) return null
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    const byte = (digitAt(HEX, text, 2 * i) << 4) | digitAt(HEX, text, 2 * i + 1)
    if (byte < 0) return null
    bytes[i] = byte
  }
  return bytes
}

export function toBase64(bytes: Uint8Array): string {
  return encodeChunks(bytes, (chunk) => btoa(textOfUnits(chunk)))
}

/**
 * `null` for invalid base64; padding is optional, and blanks are invalid. Neither `atob` nor a
 * pattern is used: both would take many times the memory of the text.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const padding = text.length % 4 > 0 ? 0 : text.endsWith('==') ? 2 : Number(text.endsWith('='))
  const digits = text.length - padding
  // One digit more than whole groups holds six bits, which make no byte.
  if (digits % 4 === 1) return null
  const bytes = new Uint8Array((digits * 3) >> 2)
  for (let i = 0, at = 0, bits = 0; i < digits; i++) {
    const digit = digitAt(BASE64, text, i)
    if (digit < 0) return null
    bits = (bits << 6) | digit
    if (i % 4 > 0) bytes[at++] = bits >> (6 - 2 * (i % 4))
  }
  return bytes
}

/** Without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** `null` for anything that {@link toBase64url} does not produce, including unused bits. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes && toBase64url(bytes) === text ? bytes : null
}

/** A character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  return encodeChunks(bytes, textOfUnits)
}

/** Only for characters up to U+00FF. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/**
 * RFC 3986's unreserved characters stay. `encodeURIComponent` also leaves `!'()*` alone, which
 * signatures of S3 do not.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Calls take a limited number of arguments. */
export function encodeChunks(bytes: Uint8Array, write: (chunk: Uint8Array) => string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += write(bytes.subarray(at, at + CHUNK_BYTES))
  }
  return text
}

/** Not by spreading, which is seven times as slow. */
export function textOfUnits(units: Uint8Array | Uint16Array): string {
  return Reflect.apply(String.fromCharCode, null, units)
}

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value
}

/** The value of each ASCII character, or -1. */
function digitsOf(...alphabets: readonly string[]): Int8Array {
  const digits = new Int8Array(128).fill(-1)
  for (const alphabet of alphabets) {
    for (let i = 0; i < alphabet.length; i++) digits[alphabet.charCodeAt(i)] = i
  }
  return digits
}

function digitAt(digits: Int8Array, text: string, i: number): number {
  return digits[text.charCodeAt(i)] ?? -1
}
