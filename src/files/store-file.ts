/** Stores one file so that no append is lost or doubled and no edit overwrites a stranger's. */
import { PreconditionFailed } from '../storage/driver.ts'
import { pause } from '../lib/abort.ts'
import { inTurn, type Turn } from './append-turns.ts'
import type { FileNode, Revision } from './file-node.ts'
import {
  MarkedUpload,
  type Held,
  type MarkedBody,
  type Stored,
  type StoreTarget,
} from './marked-upload.ts'

const LONGEST_PAUSE_MS = 1_000
/** In tries: enough for so many processes not to meet, and no more, because whoever comes new pauses less. */
const WIDEST_SPREAD = 16

/**
 * Stores what the run made of the file so far; what it does meanwhile is for the next time.
 *
 * @throws {PreconditionFailed} when someone else changed a file this run edited in place.
 * @throws {MayBeStored} when nobody can tell whether the store has it.
 */
export async function storeFile(target: StoreTarget, node: FileNode): Promise<void> {
  const revision = node.startStoring()
  if (!revision) return
  const upload = new MarkedUpload(target, revision)
  try {
    const storing =
      revision.change === 'append'
        ? append(target, upload, revision)
        : storeWhole(upload, revision).catch((failure) => upload.recognise(failure))
    const { object, isOurs } = await storing
    node.stored(revision, object, isOurs)
  } finally {
    node.endStoring(revision)
  }
}

/** Appends to whatever the store holds, as for a file. Gives the size of all of it; throws as {@link storeFile}. */
export async function appendBytes(target: StoreTarget, bytes: Uint8Array): Promise<number> {
  const revision: Revision = {
    putIds: new Set(),
    change: 'append',
    base: { key: target.key, etag: null, bytes: 0, metadata: {} },
    baseChunks: null,
    appendedChunks: [bytes],
  }
  const { object } = await append(target, new MarkedUpload(target, revision), revision)
  return object.bytes
}

function append(target: StoreTarget, upload: MarkedUpload, revision: Revision): Promise<Stored> {
  return inTurn(target, upload, (turn) => storeAppended(target, upload, revision, turn)).catch(
    (failure) => upload.recognise(failure),
  )
}

async function storeWhole(upload: MarkedUpload, revision: Revision): Promise<Stored> {
  const { base, baseChunks } = revision
  if (base?.etag === null) throw new PreconditionFailed()
  const condition = base ? { ifMatch: base.etag } : {}
  return upload.put({ base: baseChunks ?? [], condition, isOurs: true })
}

/** What the store holds now + what was appended, again until nobody comes in between or the time is over. */
async function storeAppended(
  { signal }: StoreTarget,
  upload: MarkedUpload,
  revision: Revision,
  { hasWaited, followers }: Turn,
): Promise<Stored> {
  const known = hasWaited ? undefined : residentHeld(revision)
  let held = known === undefined ? await upload.get() : known
  for (let tries = 1; ; tries++) {
    const isDone = held && (upload.appended.length === 0 || upload.isIn(held.object))
    if (held && isDone) return { object: held.object, isOurs: false }
    const start = Date.now()
    const sent: MarkedBody = {
      base: held?.chunks ?? [],
      condition: held ? { ifMatch: held.object.etag } : { ifNoneMatch: '*' },
      before: held?.object.metadata,
      isOurs: held === known,
    }
    try {
      const { object } = held ?? {}
      // Those who were sent along before may be in already.
      const others = followers().filter((one) => !object || !one.isIn(object))
      return await upload.put(sent, others)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
    }
    await pause(pauseMs(tries, Date.now() - start), signal)
    held = await upload.get()
  }
}

/** Full jitter over the time of a few tries, of twice as many each time: the more others there are, the wider they spread. */
function pauseMs(tries: number, triedMs: number): number {
  const spread = Math.min(WIDEST_SPREAD, 2 ** tries)
  return Math.random() * Math.min(LONGEST_PAUSE_MS, spread * Math.max(1, triedMs))
}

/** `undefined` when only the store knows. */
function residentHeld({ base, baseChunks }: Revision): Held | null | undefined {
  if (base === null) return null
  const { etag } = base
  return baseChunks && etag !== null ? { object: { ...base, etag }, chunks: baseChunks } : undefined
}
