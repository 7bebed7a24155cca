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
    for (const content of this.#lacks(bytes) ? this.#idle() : []) {
      content.unload()
      if (!this.#lacks(bytes)) break
    }
    if (this.#lacks(bytes)) throw new FileError('EFBIG')
    this.#usedBytes += bytes
    this.#holeBytes += holeBytes
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes
  }

  #lacks(bytes: number): boolean {
    return this.#usedBytes + bytes > this.maxBytes
  }
}
