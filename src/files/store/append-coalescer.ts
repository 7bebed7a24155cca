/** Coalesces concurrent appends of one process to the same object into a single put. */
import type { StorageDriver } from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { pause } from '../../lib/abort.ts'
import type { StoredWrite, TrackedWrite, WriteTarget } from './tracked-write.ts'

/** A waiter that has not polled for this long is gone: a Workers request may end silently. */
const ABSENT_MS = 2_000
/** Stop waiting for a turn that takes longer: it has trouble with the store. */
const LONGEST_TURN_MS = 10_000
const POLL_MS = 5
const LONGEST_POLL_MS = 50
/** Cap on the followers' bytes in one put. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** One append, queued or being stored. */
export interface PendingAppend {
  readonly write: TrackedWrite
  readonly chunks: readonly Uint8Array[]
  /** Set by the append ahead that stored this one with its own. */
  done?: StoredWrite
  /** Deadline after which the append counts as absent; not set until it waits. */
  until?: number
}

/**
 * Stores an append that has reached the head of the queue.
 *
 * @param followers Queued appends whose bytes fit into the batch.
 * @param hasWaited Others have just stored: anything known of the object is out of date.
 */
type StoreFirst = (followers: () => PendingAppend[], hasWaited: boolean) => Promise<StoredWrite>

const queuesByStore = new WeakMap<StorageDriver, Map<string, Set<PendingAppend>>>()

/**
 * Runs `store` at the head of the queue, unless an append ahead stored this one too.
 *
 * Only prevents starvation: correctness comes from conditional puts, also between processes.
 * Rejects with the signal's reason if it aborts first.
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

/** Polls: a Workers request must not resume another. */
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
  // Removed as absent by an append behind it, which no longer waits for it either.
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
