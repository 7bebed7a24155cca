/** Reads an object too large for memory, one window at a time with read-ahead. */
import type { StoredObject } from '../../storage/driver.ts'
import type { FileBudget } from './file-budget.ts'
import { FileError } from '../file-error.ts'

const FIRST_WINDOW_BYTES = 256 * 1024
/** Windows grow for sequential reads, to save requests; up to two are held at a time. */
const LARGEST_WINDOW_BYTES = 4 * 1024 * 1024

/** Leaves memory for several large files and for writes. */
const WINDOWS_IN_MEMORY = 16

export type GetRange = (offset: number, length: number) => Promise<StoredObject | null>

interface Window {
  readonly at: number
  readonly bytes: Uint8Array
}

/** Bound to one version of the object: continuing after a replacement would mix two. */
export class RangeReader {
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
    const isReadOn = this.#ahead?.at === position
    const coming = isReadOn ? this.#ahead!.window : undefined
    if (!isReadOn) this.release()
    try {
      const window = await (coming ?? this.#fetch(position))
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
