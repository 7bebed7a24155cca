/** The bytes of one file. Those at its start may still be in the store: until they are fetched they are a hole. */
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileError } from './file-error.ts'
import { RangeReader, type GetRange } from './range-reader.ts'

/** Counts what it holds against the budget of the run. */
export class FileContent {
  /** Somebody reads the bytes as they are now, so they must not change in place. */
  isShared = false
  readonly #budget: FileBudget
  #bytes: FileBytes
  #missingBytes: number
  /** Of a start that does not fit into memory. */
  #reader: RangeReader | undefined

  constructor(budget: FileBudget, missingBytes: number) {
    this.#budget = budget
    this.#bytes = new FileBytes(missingBytes)
    this.#missingBytes = missingBytes
  }

  get size(): number {
    return this.#bytes.size
  }

  /** Bytes at the start that are still only in the store. */
  get missingBytes(): number {
    return this.#missingBytes
  }

  get residentBytes(): number {
    return this.size - this.#missingBytes
  }

  /** Fewer bytes than asked for do not mean the end, if there is more in the store. */
  read(at: number, into: Uint8Array): number {
    if (at >= this.#missingBytes) return this.#bytes.read(at, into)
    if (!this.#reader) throw new Error('read before load')
    return this.#reader.read(at, into)
  }

  /** As views that the next write may change. */
  chunks(from = 0, to = this.size): readonly Uint8Array[] {
    return this.#bytes.chunks(from, to)
  }

  /** @throws {FileError} EFBIG, having written nothing; holes count, because a file is stored whole. */
  write(at: number, bytes: Uint8Array): void {
    const size = Math.max(this.size, at + bytes.length)
    if (size > this.#budget.maxBytes) throw new FileError('EFBIG')
    this.#budget.take(size - this.size, Math.max(0, at - this.size))
    this.#bytes.write(at, bytes)
  }

  /** Takes over what makes up an empty file. @throws {FileError} EFBIG, having taken nothing. */
  fill(chunks: readonly Uint8Array[]): void {
    if (this.size > 0) throw new Error('fill of a file that is not empty')
    this.replaceStart(0, FileBytes.ofChunks(chunks), 0)
  }

  /**
   * Puts what the store has in the place of what was known of it.
   *
   * @param knownBytes How much of the start is replaced.
   * @param missingBytes How much of the new start is still only in the store.
   * @throws {FileError} EFBIG, having changed nothing.
   */
  replaceStart(knownBytes: number, start: FileBytes, missingBytes: number): void {
    const residentBytes = start.size - missingBytes
    // Taking nothing could fail too, when the budget is spent.
    if (residentBytes > 0) this.#budget.take(residentBytes)
    for (const chunk of this.#bytes.chunks(knownBytes)) start.write(start.size, chunk)
    this.#budget.give(knownBytes - this.#missingBytes)
    this.#replace(start, missingBytes)
  }

  /** Empties it. @param keptBytes What somebody else will give back. */
  clear(keptBytes = 0): void {
    this.#budget.give(this.residentBytes - keptBytes)
    this.#replace(new FileBytes(), 0)
  }

  /** Leaves everything to the store, which must have it. */
  unload(): void {
    this.#budget.give(this.residentBytes)
    this.#replace(new FileBytes(this.size), this.size)
  }

  /** Gives the bytes memory of their own; so many are counted for who keeps the old. */
  detach(keptBytes: number): void {
    this.#budget.take(keptBytes)
    this.#bytes = this.#bytes.copy()
    this.isShared = false
  }

  /** Makes the byte at an offset readable, if a window on the start is open. */
  prepare(at: number): undefined | Promise<void> {
    return this.#reader?.prepare(at)
  }

  get isReading(): boolean {
    return this.#reader !== undefined
  }

  /** Opens a window on a start that does not fit into memory. */
  startReading(version: { bytes: number; etag: string }, get: GetRange): void {
    this.#reader = new RangeReader(version, this.#budget, get)
  }

  /** Gives back what only reading needed. */
  stopReading(): void {
    this.#reader?.release()
    this.#reader = undefined
  }

  /** For when nobody will look at it again. */
  release(): void {
    this.#bytes.release()
  }

  #replace(bytes: FileBytes, missingBytes: number): void {
    this.stopReading()
    this.#bytes = bytes
    this.#missingBytes = missingBytes
    this.isShared = false
  }
}
