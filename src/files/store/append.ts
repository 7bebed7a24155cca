/** Appends to an object without losing or duplicating data under concurrent appends. */
import { PreconditionFailed, type StorageDriver } from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { pause } from '../../lib/abort.ts'
import {
  TrackedWrite,
  type StoredVersion,
  type StoredWrite,
  type TrackedPut,
  type WriteTarget,
} from './tracked-write.ts'

const LONGEST_PAUSE_MS = 1_000
/** In tries. Enough to spread out this many processes; wider would favor newcomers. */
const WIDEST_SPREAD = 16

/** A file version with its bytes. */
export interface HeldFile {
  readonly version: StoredVersion
  readonly chunks: readonly Uint8Array[]
}

/** Known from earlier attempts or reads. */
export interface AppendOptions {
  /** Write ids of earlier puts of the same append. */
  readonly ids?: Set<string>
  /** The stored file, `null` if there is none; absent if unknown. */
  readonly known?: HeldFile | null | undefined
}

/** Read-modify-write, retried on conflicts until it succeeds or the signal aborts. */
export async function append(
  target: WriteTarget,
  chunks: readonly Uint8Array[],
  { ids, known }: AppendOptions = {},
): Promise<StoredWrite> {
  const pending: PendingAppend = { write: new TrackedWrite(target, ids), chunks }
  try {
    return await coalesce(target, pending, (followers, hasWaited) =>
      storeAppended(pending, hasWaited ? undefined : known, followers),
    )
  } catch (failure) {
    return pending.write.settle(failure)
  }
}

async function storeAppended(
  { write, chunks }: PendingAppend,
  known: AppendOptions['known'],
  followers: () => PendingAppend[],
): Promise<StoredWrite> {
  let held = known === undefined ? await read(write) : known
  for (let tries = 1; ; tries++) {
    if (held && (chunks.length === 0 || write.isIn(held.version))) {
      return { ...held.version, isExact: false }
    }
    const start = Date.now()
    try {
      return await putAll(write, chunks, held, followers(), held !== known)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
    }
    await pause(pauseMs(tries, Date.now() - start), write.target.signal)
    held = await read(write)
  }
}

async function putAll(
  write: TrackedWrite,
  chunks: readonly Uint8Array[],
  held: HeldFile | null,
  followers: readonly PendingAppend[],
  isOnOthers: boolean,
): Promise<StoredWrite> {
  // Followers sent with an earlier try may already be stored.
  const others = followers.filter((one) => !held || !one.write.isIn(held.version))
  const body = [held?.chunks ?? [], chunks, ...others.map((one) => one.chunks)].flat()
  const how: TrackedPut = {
    ...(held ? { ifMatch: held.version.etag } : { ifNoneMatch: '*' }),
    before: held?.version.metadata,
    others: others.map((one) => one.write),
    isOnOthers,
  }
  const written = await write.put(byteLengthOf(body), how, (key, options) =>
    write.target.storage.put(key, body, options),
  )
  for (const one of others) one.done = { ...written, isExact: false }
  return written
}

async function read(write: TrackedWrite): Promise<HeldFile | null> {
  const { path } = write.target
  const object = await write.get()
  if (!object) return null
  const { etag, bytes, metadata, body } = object
  return { version: { path, etag, bytes, metadata }, chunks: [body] }
}

/** Exponential backoff with full jitter, in units of the last try's duration. */
function pauseMs(tries: number, triedMs: number): number {
  const spread = Math.min(WIDEST_SPREAD, 2 ** tries)
  return Math.random() * Math.min(LONGEST_PAUSE_MS, spread * Math.max(1, triedMs))
}

/** A waiter that has not polled for this long is gone: a Workers request may end silently. */
const ABSENT_MS = 2_000
/** Stop waiting for a turn that takes longer: it has trouble with the store. */
const LONGEST_TURN_MS = 10_000
const POLL_MS = 5
const LONGEST_POLL_MS = 50
/** Cap on the followers' bytes in one put. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** One append, queued or being stored. */
interface PendingAppend {
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
 * Coalesces concurrent appends of one process to the same object into a single put.
 *
 * Runs `store` at the head of the queue, unless an append ahead stored this one too.
 *
 * Only prevents starvation: correctness comes from conditional puts, also between processes.
 * Rejects with the signal's reason if it aborts first.
 */
export async function coalesce(
  { storage, key, signal }: Pick<WriteTarget, 'storage' | 'key' | 'signal'>,
  own: PendingAppend,
  store: StoreFirst,
): Promise<StoredWrite> {
  const queues = queuesByStore.get(storage) ?? new Map<string, Set<PendingAppend>>()
  queuesByStore.set(storage, queues)
  const queue = queues.get(key) ?? new Set()
  queues.set(key, queue)
  queue.add(own)
  try {
    const hasWaited = await waitInLine(queue, own, signal)
    if (own.done) return own.done
    own.until = Date.now() + LONGEST_TURN_MS
    return await store(() => followersOf(queue, own), hasWaited)
  } catch (error) {
    if (own.done) return own.done
    throw error
  } finally {
    queue.delete(own)
    if (queue.size === 0 && queues.get(key) === queue) queues.delete(key)
  }
}

/** Polls: a Workers request must not resume another. */
async function waitInLine(
  queue: Set<PendingAppend>,
  own: PendingAppend,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const ahead = countAhead(queue, own)
    if (ahead === 0 || own.done) return hasWaited
    own.until = Date.now() + LONGEST_POLL_MS + ABSENT_MS
    await pause(Math.min(LONGEST_POLL_MS, ahead * POLL_MS), signal)
  }
}

function countAhead(queue: Set<PendingAppend>, own: PendingAppend): number {
  let ahead = 0
  for (const other of queue) {
    if (other === own) return ahead
    if (isAbsent(other)) queue.delete(other)
    else ahead++
  }
  // Removed as absent by an append behind it, which no longer waits for it either.
  return 0
}

function followersOf(queue: Set<PendingAppend>, first: PendingAppend): PendingAppend[] {
  const followers: PendingAppend[] = []
  let left = MAX_BATCH_BYTES
  for (const other of queue) {
    if (other === first || other.done || isAbsent(other)) continue
    left -= byteLengthOf(other.chunks)
    if (left < 0) break
    followers.push(other)
  }
  return followers
}

function isAbsent({ until = Infinity }: PendingAppend): boolean {
  return until < Date.now()
}
