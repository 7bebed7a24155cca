/** What of a file is to be stored, and over which version. */
import { byteLengthOf } from '../storage/object-body.ts'
import type { StoredVersion } from './tracked-write.ts'

/** The stored object the content is built on. */
export interface FileBase extends Omit<StoredVersion, 'etag'> {
  /** `null` when others changed the object after this run stored it: its bytes here are out of date. */
  readonly etag: string | null
}

/** What the store does not have yet: nothing, bytes at the end, or anything else. */
export type FileChange = 'none' | 'append' | 'write'

/** The content at one moment, to be stored while the file goes on changing. */
export interface Revision {
  /** The ids of all puts that carried it, one for each try: they tell whether one got through. */
  readonly putIds: Set<string>
  readonly change: 'append' | 'write'
  readonly base: FileBase | null
  /** The part that came from the store; absent when it is still only there. */
  readonly baseChunks: readonly Uint8Array[] | null
  readonly appendedChunks: readonly Uint8Array[]
}

/** What of a revision is in memory. */
export function residentBytes({ baseChunks, appendedChunks }: Revision): number {
  return byteLengthOf(baseChunks ?? []) + byteLengthOf(appendedChunks)
}
