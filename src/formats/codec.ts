/**
 * Encodings of bytes as text, byte by byte: no JavaScript strings, which would take more memory.
 */
import { FormatError } from './format-host.ts'

const encoder = new TextEncoder()
const HEX_DIGITS = encoder.encode('0123456789abcdef')
const UPPER_HEX_DIGITS = encoder.encode('0123456789ABCDEF')
const BASE64_DIGITS = encoder.encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
)
const PERCENT = 0x25
const PADDING = 0x3d
/** Of RFC 3986. */
const UNRESERVED = flags('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
const BLANKS = flags(' \t\r\n')
const HEX_VALUES = values('0123456789abcdef', '0123456789ABCDEF')
/** Of both alphabets of RFC 4648. */
const BASE64_VALUES = values(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
)

export function encodeHex(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    text[2 * i] = HEX_DIGITS[bytes[i]! >> 4]!
    text[2 * i + 1] = HEX_DIGITS[bytes[i]! & 15]!
  }
  return text
}

/** @throws {FormatError} */
export function decodeHex(text: Uint8Array): Uint8Array {
  if (text.length % 2 !== 0) throw new FormatError('invalid hex: odd number of digits')
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    const high = HEX_VALUES[text[2 * i]!]!
    const low = HEX_VALUES[text[2 * i + 1]!]!
    if (high < 0 || low < 0) throw badDigit('hex', 2 * i + (high < 0 ? 0 : 1))
    bytes[i] = (high << 4) | low
  }
  return bytes
}

/** With padding. */
export function encodeBase64(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3))
  for (let at = 0, i = 0; i < bytes.length; i += 3) {
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text[at++] = BASE64_DIGITS[bits >> 18]!
    text[at++] = BASE64_DIGITS[(bits >> 12) & 63]!
    text[at++] = i + 1 < bytes.length ? BASE64_DIGITS[(bits >> 6) & 63]! : PADDING
    text[at++] = i + 2 < bytes.length ? BASE64_DIGITS[bits & 63]! : PADDING
  }
  return text
}

/** Either alphabet; blanks are skipped, and padding is optional. @throws {FormatError} */
export function decodeBase64(text: Uint8Array): Uint8Array {
  const end = endOfBase64(text)
  const bytes = new Uint8Array(Math.ceil((end * 3) / 4))
  let length = 0
  let digits = 0
  let bits = 0
  for (let i = 0; i < end; i++) {
    const value = BASE64_VALUES[text[i]!]!
    if (value < 0) {
      if (BLANKS[text[i]!]) continue
      throw badDigit('base64', i)
    }
    bits = ((bits << 6) | value) & 0xffffff
    if (digits++ % 4 > 0) bytes[length++] = bits >> (6 - 2 * ((digits - 1) % 4))
  }
  // One digit more than whole groups holds six bits, which make no byte.
  if (digits % 4 === 1) throw new FormatError('invalid base64: it ends within a byte')
  return bytes.subarray(0, length)
}

/** Before blanks and up to two characters of padding. */
function endOfBase64(text: Uint8Array): number {
  let end = text.length
  for (let padding = 0; end > 0; end--) {
    const byte = text[end - 1]!
    if (BLANKS[byte]) continue
    if (byte !== PADDING || ++padding > 2) break
  }
  return end
}

/** Of {@link encodeUrl}'s result. */
export function urlLength(bytes: Uint8Array): number {
  let escaped = 0
  for (const byte of bytes) if (!UNRESERVED[byte]) escaped++
  return bytes.length + 2 * escaped
}

/** All but the unreserved characters of RFC 3986 become `%XX`. */
export function encodeUrl(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(urlLength(bytes))
  let length = 0
  for (const byte of bytes) {
    if (UNRESERVED[byte]) text[length++] = byte
    else {
      text[length++] = PERCENT
      text[length++] = UPPER_HEX_DIGITS[byte >> 4]!
      text[length++] = UPPER_HEX_DIGITS[byte & 15]!
    }
  }
  return text
}

/** Only `%XX` is decoded: a plus sign stays. @throws {FormatError} */
export function decodeUrl(text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== PERCENT) {
      bytes[length++] = text[i]!
      continue
    }
    const high = HEX_VALUES[text[i + 1] ?? 0]!
    const low = HEX_VALUES[text[i + 2] ?? 0]!
    if (high < 0 || low < 0) {
      throw new FormatError(`invalid URL encoding at position ${i + 1}: two digits must follow %`)
    }
    bytes[length++] = (high << 4) | low
    i += 2
  }
  return bytes.subarray(0, length)
}

function badDigit(encoding: string, index: number): FormatError {
  return new FormatError(`invalid ${encoding} at position ${index + 1}: not a digit`)
}

/** The value of each byte as a digit, or -1. */
function values(...alphabets: readonly string[]): Int8Array {
  const found = new Int8Array(256).fill(-1)
  for (const alphabet of alphabets) {
    for (let i = 0; i < alphabet.length; i++) found[alphabet.charCodeAt(i)] = i
  }
  return found
}

function flags(characters: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    characters.includes(String.fromCharCode(byte)) ? 1 : 0,
  )
}
