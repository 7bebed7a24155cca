/** Appends to an object so that nothing is lost or doubled, whoever else appends to it. */
import { PreconditionFailed } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { pause } from '../lib/abort.ts'
import { coalesce, type PendingAppend } from './append-coalescer.ts'
import {
  TrackedWrite,
  type StoredVersion,
  type StoredWrite,
  type TrackedPut,
  type WriteTarget,
} from './tracked-write.ts'

const LONGEST_PAUSE_MS = 1_000
/** In tries: enough for so many processes not to meet, and no more, because whoever comes new pauses less. */
const WIDEST_SPREAD = 16

/** A file with its bytes. */
export interface HeldFile {
  readonly version: StoredVersion
  readonly chunks: readonly Uint8Array[]
}

/** What is known before. */
export interface AppendOptions {
  /** Of the puts that tried the same before. */
  readonly ids?: Set<string>
  /** What the store holds, `null` for nothing; absent when only the store knows. */
  readonly known?: HeldFile | null | undefined
}

/** What the store holds now + what was appended, again until nobody comes in between or the time is over. */
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
  // Those who were sent along before may be in already.
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

/** Full jitter over the time of a few tries, of twice as many each time: the more others there are, the wider they spread. */
function pauseMs(tries: number, triedMs: number): number {
  const spread = Math.min(WIDEST_SPREAD, 2 ** tries)
  return Math.random() * Math.min(LONGEST_PAUSE_MS, spread * Math.max(1, triedMs))
}
