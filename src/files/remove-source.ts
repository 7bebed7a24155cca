/**
 * Removes what a file was moved from, once it is stored under its new name.
 *
 * Only the version that was copied is deleted. What others appended since then is appended to the file
 * under its new name first: so no line is lost to a log that is rotated, and none is there twice.
 */
import type { StoreTarget } from './marked-upload.ts'
import { isDiscarded, isIntact, type MovedFile } from './moved-files.ts'
import { appendBytes } from './store-file.ts'
import { untilAborted } from '../lib/abort.ts'
import type { VersionedStorage } from './with-tombstones.ts'

/** Where the file was, and where it is stored now. */
export interface Move {
  readonly storage: VersionedStorage
  readonly from: string
  /** `null` when it was removed. */
  readonly to: StoreTarget | null
  readonly moved: MovedFile
  readonly signal: AbortSignal
}

/** Resolves to `false` when somebody else changed the source in a way that cannot be brought together with the move. */
export async function removeSource(move: Move): Promise<boolean> {
  const { storage, from, to, moved, signal } = move
  if (!to || isDiscarded(moved)) {
    await untilAborted(signal, () => storage.delete(from, { signal }))
    return true
  }
  let { etag, bytes } = moved.base
  let copied = moved.node.firstBytes(bytes)
  for (;;) {
    const version = etag
    if (version !== null) {
      const isGone = await untilAborted(signal, () => storage.deleteIf(from, version, { signal }))
      if (isGone) return true
    }
    const current = await untilAborted(signal, () => storage.get(from, { signal }))
    if (!current) return true
    if (!isIntact(moved)) return false
    copied ??= await firstBytesOf(to, bytes)
    // Somebody replaced it after it was moved, and theirs stays. Unless part of it may be what was moved.
    if (!beginsWith(current.body, copied, bytes)) return etag !== null
    if (current.bytes > bytes) {
      moved.node.objectBytes = await appendBytes(to, current.body.subarray(bytes))
    }
    etag = current.etag
    bytes = current.bytes
    copied = [current.body]
  }
}

async function firstBytesOf({ storage, key, signal }: StoreTarget, length: number) {
  const range = { offset: 0, length }
  const object = await untilAborted(signal, () => storage.get(key, { range, signal }))
  return object ? [object.body] : []
}

function beginsWith(body: Uint8Array, start: readonly Uint8Array[], bytes: number): boolean {
  let at = 0
  for (const chunk of start) {
    if (!chunk.every((byte, i) => byte === body[at + i])) return false
    at += chunk.length
  }
  return at === bytes
}
