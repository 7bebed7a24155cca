/** Appends to an object without losing or duplicating data under concurrent appends. */
import { PreconditionFailed } from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { pause } from '../../lib/abort.ts'
import { coalesce, type PendingAppend } from './append-coalescer.ts'
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
