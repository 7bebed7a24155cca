/** A snapshot of a file to store, and the version it replaces. */
import { byteLengthOf } from '../../storage/object-body.ts'
import type { FileContent } from './file-content.ts'
import type { StoredVersion } from '../store/tracked-write.ts'

/** The stored object the content builds on. */
export interface FileBase extends Omit<StoredVersion, 'etag'> {
  /** `null` if others changed the object after this run stored it: the bytes here are stale. */
  readonly etag: string | null
}

/** Unstored changes: none, appends only, or anything else. */
export type ChangeKind = 'none' | 'append' | 'write'

/** Snapshot of the content, so the file can change while it is being stored. */
export interface Revision {
  /** Write ids of all puts of this revision: show whether one of them succeeded. */
  readonly putIds: Set<string>
  readonly change: 'append' | 'write'
  readonly base: FileBase | null
  /** The part that came from the store; `null` if it is not resident. */
  readonly baseChunks: readonly Uint8Array[] | null
  readonly appendedChunks: readonly Uint8Array[]
  /** Set if the store copies the content from there. */
  readonly source: FileBase | null
}

export function residentBytes({ baseChunks, appendedChunks }: Revision): number {
  return byteLengthOf(baseChunks ?? []) + byteLengthOf(appendedChunks)
}

/** What to store of a changed file. */
export function revisionOf(
  content: FileContent,
  base: FileBase | null,
  change: Revision['change'],
  source: FileBase | null,
): Revision {
  const putIds = new Set<string>()
  if (source) return { putIds, change, base, baseChunks: null, appendedChunks: [], source }
  const baseBytes = base?.bytes ?? 0
  return {
    putIds,
    change,
    base,
    source,
    baseChunks: content.missingBytes > 0 ? null : content.chunks(0, baseBytes),
    appendedChunks: content.chunks(baseBytes),
  }
}
