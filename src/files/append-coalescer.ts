/**
 * Coalesces appends of one process to the same object: the first in the queue stores those behind it with its own.
 *
 * Else they would only undo each other's tries, and some would never win. It is a courtesy: what keeps appends whole
 * is the condition they are stored under, which also holds against other processes.
 */
import type { StorageDriver } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { pause } from '../storage/try-again.ts'
import type { TrackedWrite, WriteTarget, WrittenFile } from './tracked-write.ts'

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
  done?: WrittenFile
}

interface Waiter {
  readonly append: PendingAppend
  /** Afterwards nobody waits for it. */
  until: number
}

/** What whoever is first needs to know. */
export interface Turn {
  /** Others have just stored: what was known of the object is out of date. */
  readonly hasWaited: boolean
  /** Those who wait behind, and whose bytes fit. */
  readonly followers: () => PendingAppend[]
}

const queuesByStore = new WeakMap<StorageDriver, Map<string, Set<Waiter>>>()

/**
 * Runs `store` when nobody is ahead, unless somebody ahead stored the append along with its own.
 *
 * Rejects with the signal's reason when that aborts before.
 */
export async function coalesce(
  { storage, key, signal }: Pick<WriteTarget, 'storage' | 'key' | 'signal'>,
  append: PendingAppend,
  store: (turn: Turn) => Promise<WrittenFile>,
): Promise<WrittenFile> {
  const queues = queuesByStore.get(storage) ?? new Map<string, Set<Waiter>>()
  queuesByStore.set(storage, queues)
  const queue = queues.get(key) ?? new Set()
  queues.set(key, queue)
  const waiter: Waiter = { append, until: Infinity }
  queue.add(waiter)
  try {
    const hasWaited = await waitInLine(queue, waiter, signal)
    if (append.done) return append.done
    waiter.until = Date.now() + LONGEST_TURN_MS
    return await store({ hasWaited, followers: () => followersOf(queue, waiter) })
  } catch (error) {
    if (append.done) return append.done
    throw error
  } finally {
    queue.delete(waiter)
    if (queue.size === 0 && queues.get(key) === queue) queues.delete(key)
  }
}

/** Polls instead of being called: on Workers one request must not resume another. */
async function waitInLine(
  queue: Set<Waiter>,
  waiter: Waiter,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const ahead = countAhead(queue, waiter)
    if (ahead === 0 || waiter.append.done) return hasWaited
    waiter.until = Date.now() + LONGEST_POLL_MS + ABSENT_MS
    await pause(Math.min(LONGEST_POLL_MS, ahead * POLL_MS), signal)
  }
}

function countAhead(queue: Set<Waiter>, waiter: Waiter): number {
  let ahead = 0
  for (const other of queue) {
    if (other === waiter) return ahead
    if (other.until < Date.now()) queue.delete(other)
    else ahead++
  }
  // Taken for gone by somebody behind it, who did not wait for it either.
  return 0
}

function followersOf(queue: Set<Waiter>, first: Waiter): PendingAppend[] {
  const followers: PendingAppend[] = []
  let left = MAX_BATCH_BYTES
  for (const waiter of queue) {
    if (waiter === first || waiter.append.done || waiter.until < Date.now()) continue
    left -= byteLengthOf(waiter.append.chunks)
    if (left < 0) break
    followers.push(waiter.append)
  }
  return followers
}
