/** Accounts for the memory held by all files of one run, and asks for memory shared by all runs. */
import { FileError } from '../file-error.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Content that can be refetched, so it may be evicted. */
interface Evictable {
  unload(): void
}

/** Counts file sizes, not allocations, so the limit is exact and predictable for scripts. */
export class FileBudget {
  readonly maxBytes: number
  readonly #idle: () => Iterable<Evictable>
  readonly #room: MemoryRoom
  #usedBytes = 0
  #holeBytes = 0

  /**
   * @param idle Candidates for eviction, least useful first.
   * @param room Memory shared by all runs.
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
   * @param holeBytes Unwritten bytes that are stored as zeros. Never given back: otherwise a few
   * written bytes in files that come and go could fill the bucket.
   * @throws {FileError} EFBIG, having counted nothing.
   */
  take(bytes: number, holeBytes = 0): void {
    if (Math.max(bytes, this.#holeBytes + holeBytes) > this.maxBytes) throw new FileError('EFBIG')
    this.#makeRoom(bytes)
    if (this.#lacks(bytes)) throw new FileError('EFBIG')
    this.#usedBytes += bytes
    this.#holeBytes += holeBytes
  }

  /** Like {@link take}, but waits for memory shared with other runs. */
  takeLater(bytes: number): MaybePromise<void> {
    if (bytes > this.maxBytes) throw new FileError('EFBIG')
    this.#makeRoom(bytes)
    if (this.#lacks(bytes)) throw new FileError('EFBIG')
    return this.#room.grow(bytes, () => this.take(bytes))
  }

  /** Keeps others from claiming the memory that `work` will use. */
  async reserving<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.takeLater(bytes)
    try {
      return await work()
    } finally {
      this.give(bytes)
    }
  }

  /** For storing completed work, which must not be refused: may exceed the limit. */
  takeAnyway(bytes: number): MaybePromise<void> {
    if (bytes === 0) return undefined
    this.#makeRoom(bytes)
    return this.#room.grow(bytes, () => {
      this.#usedBytes += bytes
    })
  }

  /** Whether {@link takeAnyway} would return without waiting. */
  hasRoom(bytes: number): boolean {
    return bytes === 0 || (bytes <= this.freeBytes && this.#room.has(bytes))
  }

  /** As {@link give}, for memory that the engine has yet to collect. */
  discard(bytes: number): void {
    this.give(bytes)
    this.#room.discard(bytes)
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes
    // A negative count would disable the limit.
    if (this.#usedBytes < 0) throw new Error('more memory was given back than was taken')
  }

  /** Available without evicting anything. */
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

/** How a run asks for memory shared by all runs of a process. */
export interface MemoryRoom {
  /** Whether this many bytes could be taken now. */
  has(bytes: number): boolean
  /**
   * Calls `take` as soon as this many bytes are free: immediately, or after other runs have freed
   * enough. By the time `take` returns, the run's usage must include them.
   */
  grow<T>(bytes: number, take: () => T): MaybePromise<T>
  /** For memory that is no longer used: it counts until the engine has collected it. */
  discard(bytes: number): void
}

/** For a run without competitors. */
export const UNLIMITED_ROOM: MemoryRoom = {
  has: () => true,
  grow: (_, take) => take(),
  discard: () => undefined,
}
