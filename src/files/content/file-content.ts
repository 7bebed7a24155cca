/** The bytes of one file; a prefix still only in the store is a hole until it is fetched. */
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileError } from '../file-error.ts'
import type { StoredObject } from '../../storage/driver.ts'

/** Charges its memory to the run's budget. */
export class FileContent {
  /** An upload is reading the bytes, so they must not change in place. */
  isShared = false
  readonly #budget: FileBudget
  #bytes: FileBytes
  #missingBytes: number
  /** Reads a prefix that does not fit into memory. */
  #reader: RangeReader | undefined

  constructor(budget: FileBudget, missingBytes: number) {
    this.#budget = budget
    this.#bytes = new FileBytes(missingBytes)
    this.#missingBytes = missingBytes
  }

  get size(): number {
    return this.#bytes.size
  }

  /** Length of the prefix that is still only in the store. */
  get missingBytes(): number {
    return this.#missingBytes
  }

  get residentBytes(): number {
    return this.size - this.#missingBytes
  }

  /** A short read is not the end of the file while more of it is in the store. */
  read(at: number, into: Uint8Array): number {
    if (at >= this.#missingBytes) return this.#bytes.read(at, into)
    if (!this.#reader) throw new Error('read before load')
    return this.#reader.read(at, into)
  }

  /** Views the next write may change. */
  chunks(from = 0, to = this.size): readonly Uint8Array[] {
    return this.#bytes.chunks(from, to)
  }

  /** @throws {FileError} EFBIG, having written nothing; holes count: files are stored whole. */
  write(at: number, bytes: Uint8Array): void {
    const size = Math.max(this.size, at + bytes.length)
    if (size > this.#budget.maxBytes) throw new FileError('EFBIG')
    this.#budget.take(size - this.size, Math.max(0, at - this.size))
    this.#bytes.write(at, bytes)
  }

  /** Takes ownership; the file must be empty. @throws {FileError} EFBIG, having taken nothing. */
  fill(chunks: readonly Uint8Array[]): void {
    if (this.size > 0) throw new Error('fill of a file that is not empty')
    this.replaceStart(0, FileBytes.ofChunks(chunks), 0)
  }

  /**
   * Replaces the prefix with the store's current version.
   *
   * @param knownBytes Length of the prefix to replace.
   * @param missingBytes How much of the new prefix is still only in the store.
   * @throws {FileError} EFBIG, having changed nothing.
   */
  replaceStart(knownBytes: number, start: FileBytes, missingBytes: number): void {
    const residentBytes = start.size - missingBytes
    // Even taking 0 bytes fails when the budget is exceeded.
    if (residentBytes > 0) this.#budget.take(residentBytes)
    for (const chunk of this.#bytes.chunks(knownBytes)) start.write(start.size, chunk)
    this.#budget.give(knownBytes - this.#missingBytes)
    this.#replace(start, missingBytes)
  }

  /** Empties it; the taker owns the bytes and gives back what they are charged. */
  handOver(): readonly Uint8Array[] {
    const chunks = this.chunks()
    this.#replace(new FileBytes(), 0)
    return chunks
  }

  /** Empties it. @param keptBytes Stay charged; the caller gives them back. */
  clear(keptBytes = 0): void {
    this.#budget.give(this.residentBytes - keptBytes)
    this.#replace(new FileBytes(), 0)
  }

  /** Drops all bytes; the store must have them. */
  unload(): void {
    this.#budget.give(this.residentBytes)
    this.#replace(new FileBytes(this.size), this.size)
  }

  /** Copies the bytes; `keptBytes` are charged for the holder of the originals. */
  detach(keptBytes: number): void {
    this.#budget.take(keptBytes)
    this.#bytes = this.#bytes.copy()
    this.isShared = false
  }

  /** Makes the byte at an offset readable, if a range reader is open. */
  prepare(at: number): undefined | Promise<void> {
    return this.#reader?.prepare(at)
  }

  get isReading(): boolean {
    return this.#reader !== undefined
  }

  /** Opens a range reader on a prefix that does not fit into memory. */
  startReading(version: { bytes: number; etag: string }, get: GetRange): void {
    this.#reader = new RangeReader(version, this.#budget, get)
  }

  /** Frees the range reader's memory. */
  stopReading(): void {
    this.#reader?.release()
    this.#reader = undefined
  }

  /** Frees the bytes; the content must not be used afterwards. */
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

const FIRST_WINDOW_BYTES = 256 * 1024
/** Windows grow for sequential reads, to save requests; up to two are held at a time. */
const LARGEST_WINDOW_BYTES = 4 * 1024 * 1024

/** Leaves memory for several large files and for writes. */
const WINDOWS_IN_MEMORY = 16

type GetRange = (offset: number, length: number) => Promise<StoredObject | null>

interface Window {
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * Reads an object too large for memory, one window at a time with read-ahead. Bound to one version
 * of the object: continuing after a replacement would mix two.
 */
class RangeReader {
  readonly #size: number
  readonly #etag: string
  readonly #budget: FileBudget
  readonly #get: GetRange
  #window: Window = { at: 0, bytes: new Uint8Array() }
  #ahead: { readonly at: number; readonly window: Promise<Window> } | undefined
  #nextBytes = FIRST_WINDOW_BYTES
  #heldBytes = 0
  /** Counts releases, to detect one during a fetch. */
  #release = 0

  constructor(version: { bytes: number; etag: string }, budget: FileBudget, get: GetRange) {
    this.#size = version.bytes
    this.#etag = version.etag
    this.#budget = budget
    this.#get = get
  }

  /** Must precede {@link read}; `undefined` if the byte is available. Rejects with EIO or EFBIG. */
  prepare(position: number): undefined | Promise<void> {
    const { at, bytes } = this.#window
    if (position >= at && position < at + bytes.length) return undefined
    return this.#move(position)
  }

  /** Reads up to the end of the window. */
  read(position: number, into: Uint8Array): number {
    const { at, bytes } = this.#window
    const found = bytes.subarray(position - at, position - at + into.length)
    into.set(found)
    return found.length
  }

  /** Frees its memory; can be used again. */
  release(): void {
    this.#ahead = undefined
    this.#window = { at: 0, bytes: new Uint8Array() }
    this.#budget.give(this.#heldBytes)
    this.#heldBytes = 0
    this.#release++
    this.#nextBytes = FIRST_WINDOW_BYTES
  }

  async #move(position: number): Promise<void> {
    const coming = this.#ahead?.at === position ? this.#ahead.window : undefined
    try {
      // Without memory to read ahead there may be some once the last window is released.
      const ahead = await coming?.catch(unlessTooLarge)
      if (!ahead) this.release()
      const window = ahead ?? (await this.#fetch(position))
      this.#budget.give(this.#window.bytes.length)
      this.#heldBytes -= this.#window.bytes.length
      this.#window = window
    } catch (error) {
      this.release()
      throw error
    }
    this.#nextBytes = Math.min(2 * this.#nextBytes, LARGEST_WINDOW_BYTES)
    this.#fetchAhead(this.#window.at + this.#window.bytes.length)
  }

  #fetchAhead(at: number): void {
    this.#ahead = undefined
    if (at >= this.#size) return
    const window = this.#fetch(at)
    // A failure surfaces when the window is read; it does not matter otherwise.
    window.catch(() => undefined)
    this.#ahead = { at, window }
  }

  async #fetch(at: number): Promise<Window> {
    const share = Math.ceil(this.#budget.maxBytes / WINDOWS_IN_MEMORY)
    const length = Math.min(this.#nextBytes, this.#size - at, share)
    const release = this.#release
    await this.#budget.takeLater(length)
    if (release !== this.#release) {
      // Released while waiting: nothing else would give these bytes back.
      this.#budget.give(length)
      throw new FileError('EIO')
    }
    this.#heldBytes += length
    const object = await this.#get(at, length)
    if (object?.etag !== this.#etag || object.body.length !== length) throw new FileError('EIO')
    return { at, bytes: object.body }
  }
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof FileError && error.code === 'EFBIG')) throw error
}
