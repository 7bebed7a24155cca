/** Metadata that marks writes and renames. */
import { toHex } from '../../lib/encode.ts'
import type { ObjectInfo, PutOptions } from '../../storage/driver.ts'

type Metadata = Readonly<Record<string, string>>

const NAME = 'write-ids'

/** S3 allows 2 KB of metadata. Appends keep earlier ids, whose outcome may still be unknown. */
const MAX_BYTES = 1_800

/** Enough to rule out collisions within one object. */
const ID_BYTES = 8

export function newWriteId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
}

/** @param before Metadata of the object being appended to or copied. */
export function markWrite(id: string, before: Metadata = {}): Metadata {
  const ids = [id, ...idsIn(before)].join(' ')
  const isCut = ids.length > MAX_BYTES
  return { [NAME]: isCut ? ids.slice(0, ids.lastIndexOf(' ', MAX_BYTES)) : ids }
}

/** Only the write ids, for an object that replaces this one. */
function copyMarks(metadata: Metadata): Metadata {
  const ids = metadata[NAME]
  return ids === undefined ? {} : { [NAME]: ids }
}

/** Whether an object was made by a put with this metadata, or only appended to since. */
export function isBuiltOn(object: { readonly metadata: Metadata }, put: Metadata = {}): boolean {
  return holdsOneOf(object, new Set(idsIn(put).slice(0, 1)))
}

/** Whether one of the ids is among the last that wrote the object. */
export function holdsOneOf(
  object: { readonly metadata: Metadata },
  ids: ReadonlySet<string>,
): boolean {
  return idsIn(object.metadata).some((id) => ids.has(id))
}

/** The last write; absent for objects put by other programs. */
export function lastWriteOf(object: { readonly metadata: Metadata }): string | undefined {
  return idsIn(object.metadata)[0]
}

function idsIn(metadata: Metadata): string[] {
  return metadata[NAME]?.split(' ') ?? []
}

/** A placeholder for a renamed file until it is deleted; readers treat it as missing. */
const TOMBSTONE = 'tombstone'

/** When the overwritten tombstone was put, by the store's clock. */
const OVER = 'over-tombstone'

/** Listings carry no metadata: only objects of this unusual size need a HEAD request. */
export const TOMBSTONE_BYTES = 1021

/** How long after its put a tombstone may be deleted, requests in flight included. */
export const TOMBSTONE_MS = 3_000

/** Stores report times in seconds. */
const RESOLUTION_MS = 2_000

/** S3 rejects requests signed by clocks that are off by more. */
const MAX_SKEW_MS = 15 * 60_000

const NOTE = 'This file was renamed. The mark is deleted by itself; writing over it is safe.'

/**
 * Random bytes: an empty body would share its etag with other tombstones and empty files.
 *
 * @param replaced Its write ids are kept, so its writer can still find its write.
 */
export function newTombstone(replaced: ObjectInfo): {
  readonly body: Uint8Array
  readonly options: PutOptions
} {
  const text = `${NOTE} ${newWriteId()}${newWriteId()}`
  return {
    body: new TextEncoder().encode(`${text.padEnd(TOMBSTONE_BYTES - 1)}\n`),
    options: {
      contentType: 'text/plain; charset=utf-8',
      ifMatch: replaced.etag,
      metadata: { ...copyMarks(replaced.metadata), [TOMBSTONE]: '1' },
    },
  }
}

export function isTombstone({ metadata }: Pick<ObjectInfo, 'metadata'>): boolean {
  return metadata[TOMBSTONE] !== undefined
}

/** Too old for its owner to still delete it, even with clock skew. */
export function isLeftBehind(tombstone: Pick<ObjectInfo, 'modifiedAt'>): boolean {
  return isLongAgo(tombstone.modifiedAt)
}

/**
 * Put time of the tombstone whose deletion may still remove this object: its own, or that of the
 * one it overwrote. `null` if there is none or its lifetime was over.
 */
export function pendingTombstone(object: ObjectInfo, lifeMs: number): number | null {
  if (isLongAgo(object.modifiedAt)) return null
  if (isTombstone(object)) return object.modifiedAt.getTime()
  const over = object.metadata[OVER]
  return over !== undefined && !outlives(object, Number(over), lifeMs) ? Number(over) : null
}

/** Whether an object was written after a tombstone's lifetime. Both times are the store's. */
export function outlives({ modifiedAt }: ObjectInfo, over: number, lifeMs: number): boolean {
  return modifiedAt.getTime() - over > lifeMs + RESOLUTION_MS
}

/** Metadata for a write over a tombstone, or over an object marked like this. */
export function markOver(metadata: PutOptions['metadata'], over: number) {
  return { ...metadata, [OVER]: String(over) }
}

function isLongAgo(time: Date): boolean {
  return Date.now() - time.getTime() > MAX_SKEW_MS
}
