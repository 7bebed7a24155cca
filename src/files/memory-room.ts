/** How the parts of a run ask for memory: all runs of a process share what there is. */
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The memory that one run may come to hold. */
export interface MemoryRoom {
  /** Whether so many bytes could be taken now. */
  has(bytes: number): boolean
  /**
   * Calls `take` once there is room for so many bytes more: at once if there is, else when other runs
   * have given enough back. `take` must show in what the run holds before it returns.
   */
  grow<T>(bytes: number, take: () => T): MaybePromise<T>
}

/** Where nothing else runs. */
export const UNLIMITED_ROOM: MemoryRoom = {
  has: () => true,
  grow: (_, take) => take(),
}
