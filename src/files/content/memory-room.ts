/** How a run asks for memory shared by all runs of a process. */
import type { MaybePromise } from '../../lib/maybe-promise.ts'

export interface MemoryRoom {
  /** Whether this many bytes could be taken now. */
  has(bytes: number): boolean
  /**
   * Calls `take` as soon as this many bytes are free: immediately, or after other runs have freed
   * enough. By the time `take` returns, the run's usage must include them.
   */
  grow<T>(bytes: number, take: () => T): MaybePromise<T>
}

/** For a run without competitors. */
export const UNLIMITED_ROOM: MemoryRoom = {
  has: () => true,
  grow: (_, take) => take(),
}
