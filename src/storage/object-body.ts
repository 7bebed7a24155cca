/** Bodies of objects: lengths and copies of chunks. */
import type { ObjectBody } from './driver.ts'

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
type DetachableBuffer = ArrayBuffer & { transfer(bytes?: number): ArrayBuffer }

/** Frees the memory now instead of waiting for garbage collection. Unreadable afterwards. */
export function releaseChunks(chunks: Iterable<Uint8Array | undefined>): void {
  for (const chunk of chunks) {
    const buffer = chunk?.buffer
    // Chunks may share one buffer, detached already.
    if (buffer && buffer.byteLength > 0) (buffer as DetachableBuffer).transfer(0)
  }
}

/**
 * The whole buffer of a chunk, in the same memory, to be used again. Who still reads the chunk, such
 * as a request that was given up, finds it empty.
 */
export function moveChunk({ buffer }: Uint8Array): Uint8Array {
  return new Uint8Array((buffer as DetachableBuffer).transfer())
}
