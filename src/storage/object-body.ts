/** Bodies of objects: lengths and copies of chunks, and reading a stream whole. */
import type { ObjectBody } from './driver.ts'
import { untilAborted } from '../lib/abort.ts'

/** Without copying. */
export function chunksOf(body: ObjectBody): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body
}

export function byteLengthOf(body: ObjectBody): number {
  return chunksOf(body).reduce((bytes, chunk) => bytes + chunk.length, 0)
}

/** Always a copy: the caller may change the body. */
export function copyOf(body: ObjectBody): Uint8Array {
  const copy = new Uint8Array(byteLengthOf(body))
  let at = 0
  for (const chunk of chunksOf(body)) {
    copy.set(chunk, at)
    at += chunk.length
  }
  return copy
}

/** All runtimes support it; the TypeScript lib does not declare it yet. */
type DetachableBuffer = ArrayBuffer & { transfer(bytes: number): ArrayBuffer }

/** Frees the memory now instead of waiting for garbage collection. Unreadable afterwards. */
export function releaseChunks(chunks: Iterable<Uint8Array | undefined>): void {
  for (const chunk of chunks) {
    const buffer = chunk?.buffer
    // Chunks may share one buffer, detached already.
    if (buffer && buffer.byteLength > 0) (buffer as DetachableBuffer).transfer(0)
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
  const reader = body.getReader()
  try {
    return await untilAborted(signal, () => fill(new Uint8Array(expectedBytes), reader))
  } catch (error) {
    // Frees the connection. Cancelling a failed body rejects.
    reader.cancel(error).catch(() => {})
    throw error
  }
}

async function fill(
  all: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array> {
  let bytes = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const end = bytes + piece.value.length
    if (end > all.length) throw new WrongLength(all.length, end)
    all.set(piece.value, bytes)
    bytes = end
  }
  if (bytes < all.length) throw new WrongLength(all.length, bytes)
  return all
}
