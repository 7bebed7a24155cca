/**
 * Appends of one process to the same object: first come, first served, and those that wait go along with the first.
 *
 * Else they would only undo each other's tries, and some would never win. It is a courtesy: what keeps appends whole
 * is the condition they are stored under, which also holds against other processes.
 */
import type { StorageDriver } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { pause } from '../lib/abort.ts'
import type { MarkedUpload, Stored, StoreTarget } from './marked-upload.ts'

/** Who has not looked for so long has gone: on Workers a request may end without a word. */
const ABSENT_MS = 2_000
/** Who takes longer is in trouble with the store, and need not be waited for. */
const LONGEST_TURN_MS = 10_000
const LOOK_MS = 5
const LONGEST_LOOK_MS = 50
/** What others may add to one put. */
const MAX_ALONG_BYTES = 4 * 1024 * 1024

/** Somebody who waits or has the turn. */
interface Place {
  readonly upload: MarkedUpload
  /** Afterwards nobody waits for it. */
  until: number
}

/** What whoever has the turn needs to know. */
export interface Turn {
  /** Others have just stored: what was known of the object is out of date. */
  readonly hasWaited: boolean
  /** Those who wait behind, and whose bytes fit. */
  readonly followers: () => MarkedUpload[]
}

const queuesByStore = new WeakMap<StorageDriver, Map<string, Set<Place>>>()

/**
 * Runs `work` when the turn has come, unless somebody ahead stored the upload along with its own.
 *
 * Rejects with the signal's reason when that aborts before.
 */
export async function inTurn(
  { storage, key, signal }: Pick<StoreTarget, 'storage' | 'key' | 'signal'>,
  upload: MarkedUpload,
  work: (turn: Turn) => Promise<Stored>,
): Promise<Stored> {
  const queues = queuesByStore.get(storage) ?? new Map<string, Set<Place>>()
  queuesByStore.set(storage, queues)
  const queue = queues.get(key) ?? new Set()
  queues.set(key, queue)
  const place: Place = { upload, until: Infinity }
  queue.add(place)
  try {
    const hasWaited = await waitInLine(queue, place, signal)
    if (upload.done) return upload.done
    place.until = Date.now() + LONGEST_TURN_MS
    return await work({ hasWaited, followers: () => followersOf(queue, place) })
  } finally {
    queue.delete(place)
    if (queue.size === 0 && queues.get(key) === queue) queues.delete(key)
  }
}

/** Looks again and again instead of being called: on Workers one request must not wake another. */
async function waitInLine(queue: Set<Place>, place: Place, signal: AbortSignal): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const ahead = countAhead(queue, place)
    if (ahead === 0 || place.upload.done) return hasWaited
    place.until = Date.now() + LONGEST_LOOK_MS + ABSENT_MS
    await pause(Math.min(LONGEST_LOOK_MS, ahead * LOOK_MS), signal)
  }
}

function countAhead(queue: Set<Place>, place: Place): number {
  let ahead = 0
  for (const other of queue) {
    if (other === place) return ahead
    if (other.until < Date.now()) queue.delete(other)
    else ahead++
  }
  // Taken for gone by somebody behind it, who did not wait for it either.
  return 0
}

function followersOf(queue: Set<Place>, place: Place): MarkedUpload[] {
  const followers: MarkedUpload[] = []
  let left = MAX_ALONG_BYTES
  for (const { upload, until } of queue) {
    if (upload === place.upload || upload.done || until < Date.now()) continue
    left -= byteLengthOf(upload.appended)
    if (left < 0) break
    followers.push(upload)
  }
  return followers
}
