/** Counts what all files of one run hold in memory together. */
import { FileError } from './file-error.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { UNLIMITED_ROOM, type MemoryRoom } from './memory-room.ts'

/** Content that could be fetched again, and so may make room for other content. */
export interface Evictable {
  unload(): void
}

/** Counts file sizes, not allocations, so that the limit is exact and a script can foresee it. */
export class FileBudget {
  readonly maxBytes: number
  readonly #idle: () => Iterable<Evictable>
  readonly #room: MemoryRoom
  #usedBytes = 0
  #holeBytes = 0

  /**
   * @param idle What may be unloaded when memory runs out, the least useful first.
   * @param room What there is for all runs together.
   */
  constructor(maxBytes: number, idle: () => Iterable<Evictable>, room = UNLIMITED_ROOM) {
    this.maxBytes = maxBytes
    this.#idle = idle
    this.#room = room
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /**
   * @param holeBytes Those that nobody wrote but that are stored as zeros. They are counted once and for all: with
   * files that come and go, a few written bytes would fill the bucket.
   * @throws {FileError} EFBIG, having counted nothing.
   */
  take(bytes: number, holeBytes = 0): void {
    if (Math.max(bytes, this.#holeBytes + holeBytes) > this.maxBytes) throw new FileError('EFBIG')
    this.#makeRoom(bytes)
    if (this.#lacks(bytes)) throw new FileError('EFBIG')
    this.#usedBytes += bytes
    this.#holeBytes += holeBytes
  }

  /** As {@link take}, for what can wait until there is room among all runs. */
  takeLater(bytes: number): MaybePromise<void> {
    if (bytes > this.maxBytes) throw new FileError('EFBIG')
    this.#makeRoom(bytes)
    if (this.#lacks(bytes)) throw new FileError('EFBIG')
    return this.#room.grow(bytes, () => this.take(bytes))
  }

  /** Counts what this run cannot be refused: what storing needs of what it has done already. */
  takeAnyway(bytes: number): MaybePromise<void> {
    if (bytes === 0) return undefined
    this.#makeRoom(bytes)
    return this.#room.grow(bytes, () => {
      this.#usedBytes += bytes
    })
  }

  /** Whether {@link takeAnyway} would not have to wait. */
  hasRoom(bytes: number): boolean {
    return bytes === 0 || (bytes <= this.freeBytes && this.#room.has(bytes))
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes
    // A budget that is below nothing would let in anything.
    if (this.#usedBytes < 0) throw new Error('more memory was given back than was taken')
  }

  /** What could be taken without unloading anything. */
  get freeBytes(): number {
    return this.maxBytes - this.#usedBytes
  }

  #makeRoom(bytes: number): void {
    for (const content of this.#lacks(bytes) ? this.#idle() : []) {
      content.unload()
      if (!this.#lacks(bytes)) return
    }
  }

  #lacks(bytes: number): boolean {
    return this.#usedBytes + bytes > this.maxBytes
  }
}
