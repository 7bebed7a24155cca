/** Marks of a rename: the tombstone in the place of its source, and what was written over one. */
import type { ObjectInfo, PutOptions } from '../storage/driver.ts'
import { copyMarks, newWriteId } from './write-id.ts'

/** An object in the place of a renamed file, until it is deleted: to readers there is none. */
const TOMBSTONE = 'tombstone'

/** When the tombstone was put that an object was written over, by the clock of the store. */
const OVER = 'over-tombstone'

/** Listings know no metadata: only objects of this odd length have to be asked for theirs. */
export const TOMBSTONE_BYTES = 1021

/** How long a tombstone may be deleted after it was put, counting requests that are still on their way. */
export const TOMBSTONE_MS = 3_000

/** Stores tell times to the second. */
const RESOLUTION_MS = 2_000

/** Clocks that differ by more than this cannot sign requests to S3. */
const MAX_SKEW_MS = 15 * 60_000

const NOTE = 'This file was renamed. The mark is deleted by itself; writing over it is safe.'

/**
 * What to put. Random bytes give it an etag of its own: that of an empty object would also be that of other
 * tombstones, and of files that are empty.
 *
 * @param replaced Its write ids are kept, so that whoever made it finds its write was not lost.
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

/** A tombstone that nobody is going to delete any more. */
export function isLeftBehind(tombstone: ObjectInfo): boolean {
  return isLongAgo(tombstone.modifiedAt)
}

/**
 * The time of the tombstone whose deletion may still take an object away: its own, or that of the one it was
 * written over. `null` when there is none, or it was put so long before that its life was over.
 */
export function pendingTombstone(object: ObjectInfo, lifeMs: number): number | null {
  if (isLongAgo(object.modifiedAt)) return null
  if (isTombstone(object)) return object.modifiedAt.getTime()
  const over = object.metadata[OVER]
  return over !== undefined && !outlives(object, Number(over), lifeMs) ? Number(over) : null
}

/** Whether an object was written when a tombstone's life was over. Both times are the store's. */
export function outlives({ modifiedAt }: ObjectInfo, over: number, lifeMs: number): boolean {
  return modifiedAt.getTime() - over > lifeMs + RESOLUTION_MS
}

/** The metadata of what is written over a tombstone, or over what was. */
export function markOver(metadata: PutOptions['metadata'], over: number) {
  return { ...metadata, [OVER]: String(over) }
}

function isLongAgo(time: Date): boolean {
  return Date.now() - time.getTime() > MAX_SKEW_MS
}
