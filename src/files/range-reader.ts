/** Reads a stored object that is too large to be held: one window of it at a time, the next one fetched ahead. */
import type { StoredObject } from '../storage/driver.ts'
import type { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'

const FIRST_WINDOW_BYTES = 256 * 1024
/** Fewer requests for who reads on and on; two of them are held at a time. */
const LARGEST_WINDOW_BYTES = 4 * 1024 * 1024

/** So that a few large files can be read beside each other and beside what is written. */
const WINDOWS_IN_MEMORY = 16

/** Fetches part of the object. */
export type GetRange = (offset: number, length: number) => Promise<StoredObject | null>

interface Window {
  readonly at: number
  readonly bytes: Uint8Array
}

/** For one version of the object: once it is replaced, reading on would mix two. */
export class RangeReader {
  readonly #size: number
  readonly #etag: string
  readonly #budget: FileBudget
  readonly #get: GetRange
  #window: Window = { at: 0, bytes: new Uint8Array() }
  #ahead: { readonly at: number; readonly window: Promise<Window> } | undefined
  #nextBytes = FIRST_WINDOW_BYTES
  #heldBytes = 0
  /** How often everything was given back. */
  #release = 0

  constructor(version: { bytes: number; etag: string }, budget: FileBudget, get: GetRange) {
    this.#size = version.bytes
    this.#etag = version.etag
    this.#budget = budget
    this.#get = get
  }

  /** Has to come before {@link read}; `undefined` when the byte at `position` is here. Rejects with EIO or EFBIG. */
  prepare(position: number): undefined | Promise<void> {
    const { at, bytes } = this.#window
    if (position >= at && position < at + bytes.length) return undefined
    return this.#move(position)
  }

  /** As much as the window has from `position` on. */
  read(position: number, into: Uint8Array): number {
    const { at, bytes } = this.#window
    const found = bytes.subarray(position - at, position - at + into.length)
    into.set(found)
    return found.length
  }

  /** Gives its memory back; afterwards it begins anew. */
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
    // Whoever gets there learns of a failure; if nobody does, it does not matter.
    window.catch(() => undefined)
    this.#ahead = { at, window }
  }

  async #fetch(at: number): Promise<Window> {
    const share = Math.ceil(this.#budget.maxBytes / WINDOWS_IN_MEMORY)
    const length = Math.min(this.#nextBytes, this.#size - at, share)
    const release = this.#release
    await this.#budget.takeLater(length)
    if (release !== this.#release) {
      // Nobody would give it back.
      this.#budget.give(length)
      throw new FileError('EIO')
    }
    this.#heldBytes += length
    const object = await this.#get(at, length)
    if (object?.etag !== this.#etag || object.body.length !== length) throw new FileError('EIO')
    return { at, bytes: object.body }
  }
}
