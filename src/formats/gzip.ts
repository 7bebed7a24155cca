/** The global `gzip`: compresses and decompresses files as streams. */
import { Gunzip } from 'fflate'
import { crc32 } from '../lib/crc32.ts'
import { FormatError, type FormatFunctions, type FormatHost } from './format-host.ts'
import { compressed, piecesOf, saveFile, withSource } from './save-file.ts'

/** Fuel per byte, measured against Lua code of equal time. */
export const FUEL_TO_COMPRESS = 5
export const FUEL_TO_DECOMPRESS = 4
/** A byte can become a thousand: what is made of a piece is in memory. */
export const PACKED_PIECE_BYTES = 4_096
const TRAILER_BYTES = 8

export const functions: FormatFunctions = {
  async compress(host, from, to) {
    const saved = await withSource(host, from as string, (source) =>
      saveFile(host, to as string, async (output) => {
        const pieces = charged(host, piecesOf(source), FUEL_TO_COMPRESS)
        for await (const piece of compressed(pieces, 'gzip')) await output.write(piece)
      }),
    )
    return { value: saved }
  },

  async decompress(host, from, to) {
    const saved = await withSource(host, from as string, (source) =>
      saveFile(host, to as string, async (output) => {
        const members = new GzipMembers(source.name)
        let at = 0
        for await (const piece of piecesOf(source, 0, source.size, PACKED_PIECE_BYTES)) {
          at += piece.length
          const bytes = members.push(piece, at === source.size)
          await host.work(bytes.length * FUEL_TO_DECOMPRESS + piece.length)
          await output.write(bytes)
        }
        if (at === 0) throw new FormatError(`${source.name}: not gzip: the file is empty`)
      }),
    )
    return { value: saved }
  },
}

/** Charges what passes. */
export async function* charged<T extends Uint8Array>(
  host: FormatHost,
  pieces: AsyncIterable<T>,
  fuelPerByte: number,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await host.work(piece.length * fuelPerByte)
    yield piece
  }
}

/** One or more members, each with a checksum, which the decompressor does not look at. */
class GzipMembers {
  readonly #name: string
  readonly #gunzip = new Gunzip((bytes) => this.#take(bytes))
  /** The end of the input so far, in which the last trailer is. */
  #tail = new Uint8Array()
  #read = 0
  #out: Uint8Array[] = []
  #crc = 0
  #bytes = 0
  #member = 1

  constructor(name: string) {
    this.#name = name
    this.#gunzip.onmember = (offset) => this.#endMember(offset)
  }

  /** @throws {FormatError} */
  push(piece: Uint8Array, isLast: boolean): Uint8Array {
    this.#out = []
    this.#read += piece.length
    // A member ends where the header of the next one is complete.
    this.#tail = joined([this.#tail.subarray(-PACKED_PIECE_BYTES), piece])
    try {
      this.#gunzip.push(piece, isLast)
    } catch (cause) {
      if (cause instanceof FormatError) throw cause
      throw this.#error(this.#problemOf(cause), cause)
    }
    if (isLast) this.#endMember(this.#read)
    return joined(this.#out)
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#crc = crc32(bytes, this.#crc)
    this.#bytes += bytes.length
    this.#out.push(bytes)
  }

  /** @param offset Where the member's trailer ends, in the input. */
  #endMember(offset: number): void {
    const end = this.#tail.length - (this.#read - offset)
    const trailer = this.#tail.subarray(end - TRAILER_BYTES, end)
    if (end < TRAILER_BYTES) throw this.#error('the file is cut off')
    const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES)
    if (view.getUint32(0, true) !== this.#crc) throw this.#error('wrong checksum')
    if (view.getUint32(4, true) !== this.#bytes % 2 ** 32) throw this.#error('wrong length')
    this.#crc = 0
    this.#bytes = 0
    this.#member++
  }

  #problemOf(cause: unknown): string {
    const { message } = cause as Error
    if (message === 'unexpected EOF') return 'the file is cut off'
    if (message !== 'invalid gzip data') return message
    return this.#bytes === 0 ? 'not a gzip header' : 'something else follows the data'
  }

  #error(problem: string, cause?: unknown): FormatError {
    const member = this.#member === 1 ? '' : ` in member ${this.#member}`
    const where = `byte ${this.#read}`
    return new FormatError(`${this.#name}: bad gzip data before ${where}${member}: ${problem}`, {
      cause,
    })
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
