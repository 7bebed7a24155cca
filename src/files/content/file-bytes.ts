/** The bytes of one file, in chunks: appending copies nothing twice, and holes cost no memory. */

import { releaseChunks } from '../../storage/object-body.ts'

// Fixed size: an offset finds its chunk by division.
export const CHUNK_BYTES = 64 * 1024

const SMALLEST_BYTES = 256

/** Grows on write; unwritten bytes read as zeros. */
export class FileBytes {
  // A chunk may be absent or shorter than its slot: the rest of it is a hole.
  #chunks: (Uint8Array | undefined)[] = []
  #size: number
  #residentBytes = 0

  /** @param size Initial size, all of it a hole. */
  constructor(size = 0) {
    this.#size = size
  }

  /** Takes ownership without copying: the caller must not modify the bytes afterwards. */
  static of(bytes: Uint8Array): FileBytes {
    return FileBytes.ofChunks(splitChunks(bytes))
  }

  /** Like {@link of}; all chunks but the last must be full. */
  static ofChunks(chunks: readonly Uint8Array[]): FileBytes {
    const file = new FileBytes()
    file.#chunks = [...chunks]
    file.#size = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
    file.#residentBytes = file.#size
    return file
  }

  get size(): number {
    return this.#size
  }

  /** Bytes allocated: less than `size` with holes, at most a quarter more without. */
  get residentBytes(): number {
    return this.#residentBytes
  }

  /** Frees the memory now instead of waiting for garbage collection. Unreadable afterwards. */
  release(): void {
    releaseChunks(this.#chunks)
    this.#chunks = []
  }

  /** Fills `into` from offset `at`; returns the number of bytes read, 0 at the end. */
  read(at: number, into: Uint8Array): number {
    const length = Math.max(0, Math.min(into.length, this.#size - at))
    for (let done = 0; done < length;) {
      const { index, start, end } = place(at + done, length - done)
      const chunk = this.#chunks[index]?.subarray(start, end)
      if (chunk) into.set(chunk, done)
      into.fill(0, done + (chunk?.length ?? 0), done + end - start)
      done += end - start
    }
    return length
  }

  /** `at` may be beyond the end. */
  write(at: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const { index, start, end } = place(at + done, bytes.length - done)
      this.#room(index, end).set(bytes.subarray(done, done + end - start), start)
      done += end - start
      this.#size = Math.max(this.#size, at + done)
    }
  }

  /** Deep copy. */
  copy(): FileBytes {
    const file = new FileBytes(this.#size)
    file.#chunks = this.#chunks.map((chunk) => chunk?.slice())
    file.#residentBytes = this.#residentBytes
    return file
  }

  /** Views the next write may change; only holes are newly allocated. */
  chunks(from = 0, to = this.#size): Uint8Array[] {
    const views: Uint8Array[] = []
    let zeros: Uint8Array | undefined
    for (let at = from; at < to;) {
      const { index, start, end } = place(at, to - at)
      const chunk = this.#chunks[index]
      if (chunk === undefined) {
        views.push((zeros ??= new Uint8Array(CHUNK_BYTES)).subarray(0, end - start))
      } else if (chunk.length < end) {
        const padded = new Uint8Array(end - start)
        padded.set(chunk.subarray(start))
        views.push(padded)
      } else {
        views.push(chunk.subarray(start, end))
      }
      at += end - start
    }
    return views
  }

  #room(index: number, end: number): Uint8Array {
    const chunk = this.#chunks[index]
    if (chunk && chunk.length >= end) return chunk
    // Grow by a quarter of the file: small files stay small; from 256 KiB on, chunks are
    // full-sized.
    const step = Math.max(SMALLEST_BYTES, this.#size / 4)
    const room = Math.max(end, Math.floor((chunk?.length ?? 0) + step))
    const grown = new Uint8Array(Math.min(CHUNK_BYTES, room))
    if (chunk) grown.set(chunk)
    this.#residentBytes += grown.length - (chunk?.length ?? 0)
    this.#chunks[index] = grown
    return grown
  }
}

/** Views of the bytes, split at chunk boundaries. */
export function splitChunks(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES)
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  )
}

function place(at: number, length: number): { index: number; start: number; end: number } {
  const index = Math.floor(at / CHUNK_BYTES)
  const start = at % CHUNK_BYTES
  return { index, start, end: Math.min(CHUNK_BYTES, start + length) }
}
