/** Reads streams of bytes: piece by piece, or whole. */
import { untilAborted } from '../lib/abort.ts'
import { releaseChunks } from './object-body.ts'

const PIECE_BYTES = 65_536

/** A piece is valid until the next is read. */
export interface PieceReader {
  /** `undefined` at the end. */
  read(): Promise<Uint8Array | undefined>
  cancel(reason?: unknown): Promise<void>
}

/**
 * workerd gives out 4 KiB at a time, unless it is given a buffer to fill.
 *
 * @param bytes About how many there are; a short stream needs no large buffer.
 */
export function readPieces(stream: ReadableStream<Uint8Array>, bytes = PIECE_BYTES): PieceReader {
  const reader = bufferReader(stream)
  if (!reader) return piecesAsGiven(stream.getReader())
  return piecesInBuffer(reader, Math.min(bytes + 1, PIECE_BYTES))
}

function piecesInBuffer(reader: ReadableStreamBYOBReader, bytes: number): PieceReader {
  let buffer = new ArrayBuffer(bytes)
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(buffer))
      if (done) return undefined
      buffer = value.buffer
      return value
    },
    cancel: (reason) => reader.cancel(reason),
  }
}

function piecesAsGiven(reader: ReadableStreamDefaultReader<Uint8Array>): PieceReader {
  let last: Uint8Array | undefined
  return {
    async read() {
      // The engine would collect all garbage for every few megabytes of it.
      if (last?.length === last?.buffer.byteLength) releaseChunks([last])
      const { done, value } = await reader.read()
      last = value
      return done ? undefined : value
    },
    cancel: (reason) => reader.cancel(reason),
  }
}

/** `undefined` if the stream is not one of bytes. */
function bufferReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

/** Truncated or overlong: must not be taken for the object. */
export class WrongLength extends Error {
  constructor(expectedBytes: number, bytes: number) {
    super(`the body has ${bytes} bytes instead of ${expectedBytes}`)
    this.name = 'WrongLength'
  }
}

/** Reads chunks straight into place, so that the body is in memory once. @throws {WrongLength} */
export async function readAll(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const reader = readPieces(body, expectedBytes)
  try {
    return await untilAborted(signal, () => fill(new Uint8Array(expectedBytes), reader))
  } catch (error) {
    // Frees the connection. Cancelling a failed body rejects.
    reader.cancel(error).catch(() => {})
    throw error
  }
}

async function fill(all: Uint8Array, reader: PieceReader): Promise<Uint8Array> {
  let bytes = 0
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    const end = bytes + piece.length
    if (end > all.length) throw new WrongLength(all.length, end)
    all.set(piece, bytes)
    bytes = end
  }
  if (bytes < all.length) throw new WrongLength(all.length, bytes)
  return all
}
