/** Stores one file so that no append is lost or doubled and no edit overwrites a stranger's. */
import type { ObjectBody, PutOptions, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import type { FileBase, FileNode, Revision } from './file-node.ts'
import { holdsWrite, isLastWrite, markWrite } from './write-id.ts'

const LONGEST_PAUSE_MS = 250

/** Where one file goes. */
export interface StoreTarget {
  readonly storage: StorageDriver
  readonly key: string
  readonly contentType: string
  readonly signal: AbortSignal
}

/**
 * Stores what the run made of the file so far; what it does meanwhile is for the next time.
 *
 * @throws {PreconditionFailed} when someone else changed a file this run edited in place.
 */
export async function storeFile(target: StoreTarget, node: FileNode): Promise<void> {
  const revision = node.startStoring()
  if (!revision) return
  try {
    const { object, isOurs } = await storeRevision(target, revision)
    node.stored(revision, object, isOurs)
  } finally {
    node.endStoring(revision)
  }
}

interface Stored {
  readonly object: FileBase
  /** Whether it holds what the run has of the file, and nothing of others. */
  readonly isOurs: boolean
}

async function storeRevision(target: StoreTarget, revision: Revision): Promise<Stored> {
  const { change, base, baseChunks, appendedChunks } = revision
  if (change === 'append') return storeAppended(target, revision)
  if (base?.etag === null) throw new PreconditionFailed()
  const body = [...(baseChunks ?? []), ...appendedChunks]
  return putOnce(target, revision, body, base ? { ifMatch: base.etag } : {})
}

/** What the store holds now + what was appended, again until nobody comes in between or the time is over. */
async function storeAppended(target: StoreTarget, revision: Revision): Promise<Stored> {
  const { writeId, appendedChunks } = revision
  const known = residentHeld(revision)
  let held = known === undefined ? await getHeld(target) : known
  for (let attempt = 1; ; attempt++) {
    const isDone = held && (appendedChunks.length === 0 || holdsWrite(held.object, writeId))
    if (held && isDone) return { object: held.object, isOurs: false }
    try {
      const body = [...(held?.chunks ?? []), ...appendedChunks]
      const condition = held ? { ifMatch: held.object.etag } : { ifNoneMatch: '*' as const }
      const { object, isOurs } = await putOnce(
        target,
        revision,
        body,
        condition,
        held?.object.metadata,
      )
      return { object, isOurs: isOurs && held === known }
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
    }
    await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt))
    target.signal.throwIfAborted()
    held = await getHeld(target)
  }
}

interface Held {
  readonly object: FileBase & { readonly etag: string }
  readonly chunks: readonly Uint8Array[]
}

/** `undefined` when only the store knows. */
function residentHeld({ base, baseChunks }: Revision): Held | null | undefined {
  if (base === null) return null
  const { etag } = base
  return baseChunks && etag !== null ? { object: { ...base, etag }, chunks: baseChunks } : undefined
}

async function getHeld({ storage, key, signal }: StoreTarget): Promise<Held | null> {
  const object = await storage.get(key, { signal })
  if (!object) return null
  const { etag, bytes, metadata, body } = object
  return { object: { key, etag, bytes, metadata }, chunks: [body] }
}

/**
 * Puts with the revision's mark. A failure may come after the write got through: an answer lost on its way,
 * or a driver's second try refused because of its first. The mark in the store tells.
 *
 * @param before The marks of what is only added to.
 */
async function putOnce(
  target: StoreTarget,
  { writeId }: Revision,
  body: ObjectBody,
  condition: PutOptions,
  before?: FileBase['metadata'],
): Promise<Stored> {
  const { storage, key, contentType, signal } = target
  const metadata = markWrite(writeId, before)
  try {
    const { etag } = await storage.put(key, body, { ...condition, contentType, metadata, signal })
    return { object: { key, etag, bytes: byteLengthOf(body), metadata }, isOurs: true }
  } catch (error) {
    const current = await storage.head(key, { signal }).catch(() => null)
    if (current && holdsWrite(current, writeId)) {
      return { object: current, isOurs: isLastWrite(current, writeId) }
    }
    throw error
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
