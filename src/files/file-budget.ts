/** Counts what all files of one run hold in memory together. */
import { FileError } from './file-error.ts'

/** Content that could be fetched again, and so may make room for other content. */
export interface Evictable {
  unload(): void
}

/** Counts file sizes, not allocations, so that the limit is exact and a script can foresee it. */
export class FileBudget {
  readonly maxBytes: number
  readonly #idle: () => Iterable<Evictable>
  #usedBytes = 0
  #holeBytes = 0

  /** @param idle What may be unloaded when memory runs out, the least useful first. */
  constructor(maxBytes: number, idle: () => Iterable<Evictable>) {
    this.maxBytes = maxBytes
    this.#idle = idle
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

  /** Counts what cannot be refused: what storing needs of what the run has done already. */
  takeAnyway(bytes: number): void {
    this.#makeRoom(bytes)
    this.#usedBytes += bytes
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
