/** Removes the source of a moved file once it is stored under its new name. */
import type { AreaStore } from '../store/area-store.ts'
import { isDiscarded, isIntact, type MovedFile } from './moved-files.ts'
import type { VirtualPath } from '../path.ts'

/**
 * Deletes only the version that was copied. Data appended to the source since is first appended to
 * the target, so log rotation neither loses nor duplicates lines.
 *
 * Resolves to `false` if a concurrent change to the source cannot be merged with the move.
 */
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
    // Replaced after the move: keep it. Without an etag it may contain moved data: a conflict.
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
