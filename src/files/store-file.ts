/** Stores one file so that no append is lost or doubled and no edit overwrites a stranger's. */
import type { ObjectBody, ObjectInfo, PutOptions, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { WRITE_ID, type FileBase, type FileNode, type Revision } from './file-node.ts'

const LONGEST_PAUSE_MS = 250

/** Metadata: the appends below the last one, latest first. Whose answer was lost finds itself among them. */
const EARLIER_WRITE_IDS = 'earlier-write-ids'

/** Stores take 2 KB of metadata. */
const MAX_EARLIER_WRITE_IDS = 20

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
  if (revision) node.stored(revision, await storeRevision(target, revision))
}

function storeRevision(target: StoreTarget, revision: Revision): Promise<FileBase> {
  const { change, base, baseChunks, appendedChunks } = revision
  if (change === 'append') return storeAppended(target, revision)
  if (base?.etag === null) throw new PreconditionFailed()
  const body = [...(baseChunks ?? []), ...appendedChunks]
  return putOnce(target, revision, body, base ? { ifMatch: base.etag } : {})
}

/** What the store holds now + what was appended, again until nobody comes in between or the time is over. */
async function storeAppended(target: StoreTarget, revision: Revision): Promise<FileBase> {
  const { writeId, appendedChunks } = revision
  let held = residentHeld(revision)
  if (held === undefined) held = await getHeld(target)
  for (let attempt = 1; ; attempt++) {
    if (held && (held.writeIds.includes(writeId) || appendedChunks.length === 0)) return held.object
    try {
      const body = [...(held?.chunks ?? []), ...appendedChunks]
      const condition = held ? { ifMatch: held.object.etag } : { ifNoneMatch: '*' as const }
      return await putOnce(target, revision, body, condition, held?.writeIds)
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
  /** As {@link writeIdsOf}; empty when the run has the content and not the metadata. */
  readonly writeIds: readonly string[]
}

/** `undefined` when only the store knows. */
function residentHeld({ base, baseChunks }: Revision): Held | null | undefined {
  if (base === null) return null
  const { etag } = base
  if (!baseChunks || etag === null) return undefined
  return { object: { ...base, etag }, chunks: baseChunks, writeIds: [] }
}

async function getHeld({ storage, key, signal }: StoreTarget): Promise<Held | null> {
  const object = await storage.get(key, { signal })
  if (!object) return null
  const { etag, bytes, body } = object
  return { object: { key, etag, bytes }, chunks: [body], writeIds: writeIdsOf(object) }
}

/** Of the write that made the object, then of the appends it stands on. */
function writeIdsOf({ metadata }: Pick<ObjectInfo, 'metadata'>): string[] {
  const ids = [metadata[WRITE_ID], ...(metadata[EARLIER_WRITE_IDS] ?? '').split(',')]
  return ids.filter((id) => id !== undefined && id !== '') as string[]
}

/**
 * Puts under the revision's write id. A failure may come after the write got through: an answer lost on
 * its way, or a driver's second try refused because of its first. The id in the store tells.
 */
async function putOnce(
  target: StoreTarget,
  { writeId, change }: Revision,
  body: ObjectBody,
  condition: PutOptions,
  earlier: readonly string[] = [],
): Promise<FileBase> {
  const { storage, key, contentType, signal } = target
  try {
    const below = earlier.slice(0, MAX_EARLIER_WRITE_IDS).join(',')
    const metadata = { [WRITE_ID]: writeId, ...(below && { [EARLIER_WRITE_IDS]: below }) }
    const { etag } = await storage.put(key, body, { ...condition, contentType, metadata, signal })
    return { key, etag, bytes: byteLengthOf(body) }
  } catch (error) {
    const current = await storage.head(key, { signal }).catch(() => null)
    const ids = current ? writeIdsOf(current) : []
    // What others appended to an edit is not the edit: only an append may have been built upon.
    const isIn = change === 'append' ? ids.includes(writeId) : ids[0] === writeId
    if (!current || !isIn) throw error
    return { key, etag: current.etag, bytes: current.bytes }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
