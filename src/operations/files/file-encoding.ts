/** Lossless conversion between bytes and the text of requests and responses. */
import type { Encoding } from '../../settings.ts'
import { AppError } from '../../errors.ts'
import {
  fromBase64,
  fromHex,
  fromLatin1,
  encodeChunks,
  textOfUnits,
  toBase64,
  toHex,
  toLatin1,
} from '../../lib/encode.ts'

// Both keep the byte order mark: it is part of the file.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** @throws {AppError} `invalid_request` if the bytes are not valid in this encoding. */
export function textOf(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return utf8Of(bytes)
    case 'base64':
      return toBase64(bytes)
    case 'hex':
      return toHex(bytes)
    case 'latin1':
      return toLatin1(bytes)
    case 'utf-16le':
      return utf16Of(bytes)
  }
}

/** @throws {AppError} `invalid_request` if the text is not valid in this encoding. */
export function bytesOf(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      // A lone surrogate would be stored as U+FFFD.
      if (/\p{Cs}/u.test(text)) refuse('it holds half a surrogate pair')
      return encoder.encode(text)
    case 'base64':
      return (
        (text.length % 4 === 0 && fromBase64(text)) ||
        refuse('it is not valid base64; use the standard alphabet, padding and no spaces')
      )
    case 'hex':
      return (
        fromHex(text) ??
        refuse('it is not valid hex; use two digits for each byte and nothing else')
      )
    case 'latin1':
      if (/[^\0-\xff]/.test(text)) refuse('latin1 has no character above U+00FF')
      return fromLatin1(text)
    case 'utf-16le': {
      const bytes = new Uint8Array(2 * text.length)
      const view = new DataView(bytes.buffer)
      for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), true)
      return bytes
    }
  }
}

/** Size of a text as JSON in UTF-8, with quotes and escapes. */
export function jsonBytesOf(text: string): number {
  let bytes = 2
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 2 : 6
    else if (unit < 0x80) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1
    else if (unit < 0x800) bytes += 2
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3
    else if (text.codePointAt(i)! > 0xffff) {
      bytes += 4
      i++
    } else bytes += 6
  }
  return bytes
}

/** `\b`, `\t`, `\n`, `\f` and `\r`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d])

function utf8Of(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    const message = 'The file is not UTF-8 text. Ask for it with the encoding base64.'
    throw new AppError('invalid_request', message, { cause })
  }
}

/** By code unit: JSON can carry lone surrogates, so any even number of bytes round-trips. */
function utf16Of(bytes: Uint8Array): string {
  if (bytes.length % 2 !== 0) {
    const message =
      'The file is not UTF-16 text: its bytes are odd in number. Ask for it with the encoding base64.'
    throw new AppError('invalid_request', message)
  }
  return encodeChunks(bytes, (chunk) => {
    const units = new Uint16Array(chunk.length / 2)
    for (let i = 0; i < units.length; i++) units[i] = chunk[2 * i]! | (chunk[2 * i + 1]! << 8)
    return textOfUnits(units)
  })
}

function refuse(reason: string): never {
  throw new AppError('invalid_request', `content: ${reason}.`)
}
