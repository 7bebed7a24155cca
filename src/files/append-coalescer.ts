/**
 * Coalesces appends of one process to the same object: the first in the queue stores those behind it with its own.
 *
 * Else they would only undo each other's tries, and some would never win. It is a courtesy: what keeps appends whole
 * is the condition they are stored under, which also holds against other processes.
 */
import type { StorageDriver } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { pause } from '../lib/abort.ts'
import type { StoredWrite, TrackedWrite, WriteTarget } from './tracked-write.ts'

/** Who has not polled for so long has gone: on Workers a request may end without a word. */
const ABSENT_MS = 2_000
/** Who takes longer is in trouble with the store, and need not be waited for. */
const LONGEST_TURN_MS = 10_000
const POLL_MS = 5
const LONGEST_POLL_MS = 50
/** What others may add to one put. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** One append, while it waits or is being stored. */
export interface PendingAppend {
  readonly write: TrackedWrite
  readonly chunks: readonly Uint8Array[]
  /** Set by whoever stored it along with its own. */
  done?: StoredWrite
  /** Afterwards nobody waits for it; absent before it waits. */
  until?: number
}

/**
 * Stores an append when nobody is ahead of it.
 *
 * @param followers Those who wait behind, and whose bytes fit.
 * @param hasWaited Others have just stored: what was known of the object is out of date.
 */
type StoreFirst = (followers: () => PendingAppend[], hasWaited: boolean) => Promise<StoredWrite>

const queuesByStore = new WeakMap<StorageDriver, Map<string, Set<PendingAppend>>>()

/**
 * Runs `store` when nobody is ahead, unless somebody ahead stored the append along with its own.
 *
 * Rejects with the signal's reason when that aborts before.
 */
export async function coalesce(
  { storage, key, signal }: Pick<WriteTarget, 'storage' | 'key' | 'signal'>,
  append: PendingAppend,
  store: StoreFirst,
): Promise<StoredWrite> {
  const queues = queuesByStore.get(storage) ?? new Map<string, Set<PendingAppend>>()
  queuesByStore.set(storage, queues)
  const queue = queues.get(key) ?? new Set()
  queues.set(key, queue)
  queue.add(append)
  try {
    const hasWaited = await waitInLine(queue, append, signal)
    if (append.done) return append.done
    append.until = Date.now() + LONGEST_TURN_MS
    return await store(() => followersOf(queue, append), hasWaited)
  } catch (error) {
    if (append.done) return append.done
    throw error
  } finally {
    queue.delete(append)
    if (queue.size === 0 && queues.get(key) === queue) queues.delete(key)
  }
}

/** Polls instead of being called: on Workers one request must not resume another. */
async function waitInLine(
  queue: Set<PendingAppend>,
  append: PendingAppend,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const ahead = countAhead(queue, append)
    if (ahead === 0 || append.done) return hasWaited
    append.until = Date.now() + LONGEST_POLL_MS + ABSENT_MS
    await pause(Math.min(LONGEST_POLL_MS, ahead * POLL_MS), signal)
  }
}

function countAhead(queue: Set<PendingAppend>, append: PendingAppend): number {
  let ahead = 0
  for (const other of queue) {
    if (other === append) return ahead
    if (isAbsent(other)) queue.delete(other)
    else ahead++
  }
  // Taken for gone by somebody behind it, who did not wait for it either.
  return 0
}

function followersOf(queue: Set<PendingAppend>, first: PendingAppend): PendingAppend[] {
  const followers: PendingAppend[] = []
  let left = MAX_BATCH_BYTES
  for (const append of queue) {
    if (append === first || append.done || isAbsent(append)) continue
    left -= byteLengthOf(append.chunks)
    if (left < 0) break
    followers.push(append)
  }
  return followers
}

function isAbsent({ until = Infinity }: PendingAppend): boolean {
  return until < Date.now()
}
