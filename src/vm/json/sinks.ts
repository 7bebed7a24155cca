/** Growable byte buffers: one that doubles when full, and one in chunks that are never copied. */
import { CHUNK_BYTES } from '../../files/content/file-bytes.ts'
import { releaseChunks } from '../../storage/object-body.ts'

const NOTHING = new Uint8Array()

/** Unbounded: the writer checks the length. */
export class ByteSink {
  #bytes = NOTHING
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Valid until the next write. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  /** Frees the memory now instead of waiting for garbage collection; can be used again. */
  release(): void {
    releaseChunks([this.#bytes])
    this.#bytes = NOTHING
    this.#length = 0
  }

  writeByte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  write(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2, FIRST_BYTES))
    grown.set(this.written)
    if (this.#bytes.length >= RELEASED_BYTES) releaseChunks([this.#bytes])
    this.#bytes = grown
  }
}

/** Most output is short. */
const FIRST_BYTES = 256
/** Smaller ones are left to garbage collection. */
const RELEASED_BYTES = 16_384

/** All chunks but the last are full, so that a file can use them directly. */
export class ChunkSink {
  readonly #maxKeptBytes: number
  #full: Uint8Array<ArrayBuffer>[] = []
  #fullBytes = 0
  #chunk = NOTHING
  #at = 0

  /** @param maxKeptBytes Beyond this, bytes are only counted. */
  constructor(maxKeptBytes = Infinity) {
    this.#maxKeptBytes = maxKeptBytes
  }

  /** Including what was not kept. */
  get length(): number {
    return this.#fullBytes + this.#at
  }

  /** The content, truncated at the maximum. */
  get chunks(): readonly Uint8Array<ArrayBuffer>[] {
    const all = [...this.#full, this.#chunk.subarray(0, this.#at)]
    return this.length > this.#maxKeptBytes ? all.slice(0, 1) : all
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const left = bytes.length - done
      if (this.#at + left > this.#chunk.length) this.#makeRoom(left)
      const part = bytes.subarray(done, done + this.#chunk.length - this.#at)
      this.#chunk.set(part, this.#at)
      this.#at += part.length
      done += part.length
    }
  }

  /** Reserves up to this many bytes, at least one, in the current chunk. */
  #makeRoom(bytes: number): void {
    if (this.#chunk.length < CHUNK_BYTES) {
      const wanted = Math.max(this.#at + bytes, 2 * this.#chunk.length, FIRST_BYTES)
      const grown = new Uint8Array(Math.min(wanted, CHUNK_BYTES))
      grown.set(this.#chunk)
      this.#chunk = grown
    }
    if (this.#at < this.#chunk.length) return
    this.#fullBytes += this.#at
    this.#at = 0
    if (this.#full.length > 0 && this.#fullBytes > this.#maxKeptBytes) {
      // Over the maximum: overwrites the same chunk.
      this.#full.length = 1
      return
    }
    this.#full.push(this.#chunk)
    this.#chunk = new Uint8Array(CHUNK_BYTES)
  }
}
