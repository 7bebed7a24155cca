/** Bytes as the text of a request or an answer, and back, without losing one. */
import type { Encoding } from '../../config.ts'
import { AppError } from '../../errors.ts'

/** Text of as many bytes is made at a time: a multiple of three, so that base64 needs no padding between. */
const CHUNK_BYTES = 24_576

// Both keep a byte order mark: it is part of the file.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** @throws {AppError} `invalid_request` when the bytes are no text of this encoding. */
export function textOf(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return utf8Of(bytes)
    case 'base64':
      return inChunks(bytes, (chunk) => btoa(binaryOf(chunk)))
    case 'hex':
      return inChunks(bytes, (chunk) => Array.from(chunk, hexOf).join(''))
    case 'latin1':
      return inChunks(bytes, binaryOf)
    case 'utf-16le':
      return utf16Of(bytes)
  }
}

/** @throws {AppError} `invalid_request` when the text cannot stand for bytes in this encoding. */
export function bytesOf(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      // Half a surrogate pair would be stored as a question mark.
      if (/\p{Cs}/u.test(text)) throw unfit('it holds half a surrogate pair')
      return encoder.encode(text)
    case 'base64':
      if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
        throw unfit('it is not valid base64; use the standard alphabet, padding and no blanks')
      }
      return bytesOfBinary(atob(text))
    case 'hex':
      if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) {
        throw unfit('it is not valid hex; use two digits for each byte and nothing else')
      }
      return bytesOfHex(text)
    case 'latin1':
      if (/[^\0-\xff]/.test(text)) throw unfit('latin1 has no character above U+00FF')
      return bytesOfBinary(text)
    case 'utf-16le': {
      const bytes = new Uint8Array(2 * text.length)
      const view = new DataView(bytes.buffer)
      for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), true)
      return bytes
    }
  }
}

/** How many bytes a text takes in a JSON answer, which writes some characters as six. */
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

/** Unit by unit, pairs or not: JSON can carry each half, so that every even number of bytes comes back. */
function utf16Of(bytes: Uint8Array): string {
  if (bytes.length % 2 !== 0) {
    const message =
      'The file is not UTF-16 text: its bytes are odd in number. Ask for it with the encoding base64.'
    throw new AppError('invalid_request', message)
  }
  return inChunks(bytes, (chunk) => {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
    const units = Array.from({ length: chunk.length / 2 }, (_, i) => view.getUint16(2 * i, true))
    return String.fromCharCode(...units)
  })
}

function inChunks(bytes: Uint8Array, write: (chunk: Uint8Array) => string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += write(bytes.subarray(at, at + CHUNK_BYTES))
  }
  return text
}

/** A character for each byte. */
function binaryOf(chunk: Uint8Array): string {
  return String.fromCharCode(...chunk)
}

function bytesOfBinary(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

function bytesOfHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  }
  return bytes
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

function unfit(reason: string): AppError {
  return new AppError('invalid_request', `content: ${reason}.`)
}
