/**
 * Removes what a file was moved from, once it is stored under its new name.
 *
 * Only the version that was copied is deleted. What others appended since then is appended to the file
 * under its new name first: so no line is lost to a log that is rotated, and none is there twice.
 */
import type { AreaStore } from './area-store.ts'
import { isDiscarded, isIntact, type MovedFile } from './moved-files.ts'
import type { VirtualPath } from './path.ts'

/** Resolves to `false` when somebody else changed the source in a way that cannot be brought together with the move. */
export async function removeSource(
  store: AreaStore,
  from: VirtualPath,
  moved: MovedFile,
): Promise<boolean> {
  const { node } = moved
  const to = node.path
  if (!to || isDiscarded(moved)) {
    await store.remove(from)
    return true
  }
  let { etag, bytes } = moved.base
  let copied = node.firstBytes(bytes)
  for (;;) {
    if (etag !== null && (await store.removeVersion(from, etag))) return true
    const current = await store.get(from)
    if (!current) return true
    if (!isIntact(moved)) return false
    copied ??= await firstBytesOf(store, to, bytes)
    // Somebody replaced it after it was moved, and theirs stays. Unless part of it may be what was moved.
    if (!beginsWith(current.body, copied, bytes)) return etag !== null
    if (current.bytes > bytes) {
      const appended = await store.append(to, [current.body.subarray(bytes)])
      node.objectBytes = appended.bytes
    }
    etag = current.etag
    bytes = current.bytes
    copied = [current.body]
  }
}

async function firstBytesOf(store: AreaStore, path: VirtualPath, length: number) {
  const object = await store.get(path, { offset: 0, length })
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
