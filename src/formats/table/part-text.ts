/** Text of a part of a file, in UTF-8 or else in Latin-1. */
import { toLatin1 } from '../../lib/encode.ts'

export interface PartDecoder {
  readonly isLatin1: boolean
  decode(bytes: Uint8Array): string
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** @param bytes Start with a whole character; the last one may be cut. */
export function decoderOf(bytes: Uint8Array): PartDecoder {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // Unlike UTF-8, it has a meaning for all bytes.
    return { isLatin1: true, decode: toLatin1 }
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { isLatin1: false, decode: (part) => decoder.decode(part) }
}

/** The mark is no part of the text. @param bytes From the start of the file. */
export function markLength(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0
}

/** Spreadsheets export it; every other byte of plain text would be zero. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
