/** A file's content as text in an answer, written piece by piece: in one it would take far more. */
import type { Encoding } from '../../settings.ts'
import { jsonBytesOf, textOf } from './file-encoding.ts'

/** A multiple of the groups of base64 and of UTF-16 units. */
const PIECE_BYTES = 49_152
/** Continuation bytes of a UTF-8 character. */
const MAX_CONTINUATION = 3

/** Stands for a string wherever an answer becomes JSON. */
export class LongText {
  readonly #bytes: Uint8Array
  readonly #encoding: Encoding

  constructor(bytes: Uint8Array, encoding: Encoding) {
    this.#bytes = bytes
    this.#encoding = encoding
  }

  /**
   * Size as JSON in UTF-8, without quotes.
   *
   * @throws {AppError} `invalid_request` if the bytes are not valid in this encoding.
   */
  jsonBytes(): number {
    const { length } = this.#bytes
    if (this.#encoding === 'hex') return 2 * length
    if (this.#encoding === 'base64') return 4 * Math.ceil(length / 3)
    let bytes = 0
    for (const text of this.#texts()) bytes += jsonBytesOf(text) - 2
    return bytes
  }

  /** What is between the quotes of a JSON string. */
  *jsonPieces(): Generator<string> {
    for (const text of this.#texts()) yield JSON.stringify(text).slice(1, -1)
  }

  toJSON(): string {
    return textOf(this.#bytes, this.#encoding)
  }

  *#texts(): Generator<string> {
    const bytes = this.#bytes
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      end = cutBefore(bytes, at + PIECE_BYTES, this.#encoding)
      yield textOf(bytes.subarray(at, end), this.#encoding)
    }
  }
}

/** The last place up to `end` that is not inside a character. */
function cutBefore(bytes: Uint8Array, end: number, encoding: Encoding): number {
  if (end >= bytes.length) return bytes.length
  if (encoding === 'utf-16le') return isHighSurrogate(bytes[end - 1]!) ? end - 2 : end
  if (encoding !== 'utf-8') return end
  let cut = end
  while (cut > end - MAX_CONTINUATION && isContinuation(bytes[cut]!)) cut--
  return cut
}

/** By the second byte of a unit. */
function isHighSurrogate(byte: number): boolean {
  return (byte & 0xfc) === 0xd8
}

export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
