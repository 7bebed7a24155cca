/** Finds objects below a root and reads their bytes. */
import type { FileHandle } from 'node:fs/promises'
import type { ListedObject, ObjectInfo } from '../driver.ts'
import { inFolderTerms } from './errors.ts'
import { parseKey } from './key-path.ts'
import { look, openFile, type Found } from './stat.ts'
import { NO_NOTE, type FolderNotes } from './sidecar.ts'
import type { FolderRoot } from './root.ts'
import { etagOf } from './version.ts'
import { WrongLength } from '../read-all.ts'

/** An object, and the file with its bytes, to be closed; a folder's marker has none. */
interface OpenObject {
  readonly info: ObjectInfo
  readonly file: FileHandle | null
}

/** Resolves to `null` when there is no such object. */
export type OpenByKey = (key: string) => Promise<OpenObject | null>

const CHUNK_BYTES = 256 * 1024

export function objectOpener(root: FolderRoot, notes: FolderNotes): OpenByKey {
  return async function openObject(key) {
    const { above, name, isMarker } = parseKey(key)
    const folder = await root.open(above)
    if (!folder) return null
    try {
      for (;;) {
        const found = await look(folder.at(name))
        if (!found || found.isFolder !== isMarker) return null
        const object = await openFound(key, folder.at(name), found)
        if (object !== 'changed') return object
      }
    } finally {
      await folder.close()
    }
  }

  async function openFound(key: string, path: string, found: Found) {
    const file = found.isFolder ? null : await openFile(path)
    if (!found.isFolder && !file) return 'changed'
    let isLent = false
    try {
      const stats = (await file?.stat({ bigint: true })) ?? found.stats
      const note = await notes.read(key, etagOf(stats))
      // The note of a version goes when another replaces it: only the current one can be without.
      if (!note && !(await isVersion(path, etagOf(stats)))) return 'changed'
      if (note?.isImplied) return null
      isLent = true
      const { contentType, metadata } = note ?? NO_NOTE
      return { info: { ...listedOf(key, stats), contentType, metadata }, file }
    } finally {
      if (!isLent) await file?.close()
    }
  }
}

/** What there is to tell without a note. */
export function listedOf(key: string, stats: Found['stats']): ListedObject {
  const bytes = stats.isDirectory() ? 0 : Number(stats.size)
  return { key, bytes, etag: etagOf(stats), modifiedAt: stats.mtime }
}

async function isVersion(path: string, etag: string): Promise<boolean> {
  const found = await look(path)
  return found !== null && etagOf(found.stats) === etag
}

/** A part of the file, which is closed at its end. */
export async function streamOf(
  file: FileHandle | null,
  offset: number,
  length: number,
): Promise<ReadableStream<Uint8Array>> {
  if (!file || length === 0) {
    await file?.close()
    return new Blob([]).stream()
  }
  let left = length
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left))
      try {
        const position = offset + length - left
        const { bytesRead } = await inFolderTerms(() => file.read(chunk, { position }))
        left -= bytesRead
        // Somebody has shortened the file in place.
        if (bytesRead === 0) throw new WrongLength(length, length - left)
        controller.enqueue(chunk.subarray(0, bytesRead))
      } catch (error) {
        await file.close()
        throw error
      }
      if (left > 0) return
      await file.close()
      controller.close()
    },
    cancel: () => file.close(),
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
