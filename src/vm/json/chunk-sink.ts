/** Bytes written one after another, in chunks: however many there are, none is copied to make room. */
import { CHUNK_BYTES } from '../../files/file-bytes.ts'

/** Most of what is written is short. */
const FIRST_BYTES = 256
const encoder = new TextEncoder()

/** All chunks but the last are whole, so that a file can be made of them as they are. */
export class ChunkSink {
  readonly #maxKeptBytes: number
  #full: Uint8Array<ArrayBuffer>[] = []
  #fullBytes = 0
  #chunk = new Uint8Array(FIRST_BYTES)
  #at = 0

  /** @param maxKeptBytes Of more than this only the beginning is kept, and the rest is counted. */
  constructor(maxKeptBytes = Infinity) {
    this.#maxKeptBytes = maxKeptBytes
  }

  /** Of all that was written, kept or not. */
  get length(): number {
    return this.#fullBytes + this.#at
  }

  /** What was written, or its beginning if that was too much. */
  get chunks(): readonly Uint8Array<ArrayBuffer>[] {
    const all = [...this.#full, this.#chunk.subarray(0, this.#at)]
    return this.length > this.#maxKeptBytes ? all.slice(0, 1) : all
  }

  writeByte(byte: number): void {
    if (this.#at === this.#chunk.length) this.#makeRoom(1)
    this.#chunk[this.#at++] = byte
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

  /** Text known to be ASCII: for short texts several times faster than encoding. */
  writeAscii(text: string): void {
    if (this.#at + text.length > this.#chunk.length) this.#makeRoom(text.length)
    if (this.#at + text.length > this.#chunk.length) return this.write(encoder.encode(text))
    for (let i = 0; i < text.length; i++) this.#chunk[this.#at++] = text.charCodeAt(i)
  }

  /** Text as UTF-8. */
  writeText(text: string): void {
    const mostBytes = text.length * 3
    if (this.#at + mostBytes > this.#chunk.length) this.#makeRoom(mostBytes)
    if (this.#at + mostBytes > this.#chunk.length) return this.write(encoder.encode(text))
    this.#at += encoder.encodeInto(text, this.#chunk.subarray(this.#at)).written
  }

  /** For so many bytes if they fit into a chunk, else for as many as do: at least one. */
  #makeRoom(bytes: number): void {
    if (this.#chunk.length < CHUNK_BYTES) {
      const wanted = Math.max(this.#at + bytes, 2 * this.#chunk.length)
      const grown = new Uint8Array(Math.min(wanted, CHUNK_BYTES))
      grown.set(this.#chunk)
      this.#chunk = grown
    }
    if (this.#at < this.#chunk.length) return
    this.#fullBytes += this.#at
    this.#at = 0
    if (this.#full.length > 0 && this.#fullBytes > this.#maxKeptBytes) {
      // Too much: the same chunk is written over and over.
      this.#full.length = 1
      return
    }
    this.#full.push(this.#chunk)
    this.#chunk = new Uint8Array(CHUNK_BYTES)
  }
}
