/** Opens objects and reads their bytes; chunks of a body on their way into a file. */
import type { FileHandle } from 'node:fs/promises'
import type { ListedObject, ObjectInfo } from '../driver.ts'
import { withFolderErrors } from './errors.ts'
import { parseKey } from './key-path.ts'
import { statEntry, openForReading, fileEtag, type FileStat, type FolderRoot } from './root.ts'
import { NO_SIDECAR, type SidecarStore } from './sidecar.ts'
import { WrongLength } from '../read-stream.ts'

/** The file must be closed; a folder marker has none. */
interface OpenObject {
  readonly info: ObjectInfo
  readonly file: FileHandle | null
}

/** `null` if missing. */
type OpenByKey = (key: string) => Promise<OpenObject | null>

const CHUNK_BYTES = 256 * 1024

export function objectOpener(root: FolderRoot, sidecars: SidecarStore): OpenByKey {
  return async function openObject(key) {
    const { parents, name, isMarker } = parseKey(key)
    const folder = await root.open(parents)
    if (!folder) return null
    try {
      for (;;) {
        const found = await statEntry(folder.at(name))
        if (!found || found.isFolder !== isMarker) return null
        const object = await openFound(key, folder.at(name), found)
        if (object !== 'changed') return object
      }
    } finally {
      await folder.close()
    }
  }

  async function openFound(key: string, path: string, found: FileStat) {
    const file = found.isFolder ? null : await openForReading(path)
    if (!found.isFolder && !file) return 'changed'
    let isReturned = false
    try {
      const stats = (await file?.stat({ bigint: true })) ?? found.stats
      const sidecar = await sidecars.read(key, fileEtag(stats))
      // A sidecar is removed when its version is replaced: only the current version can lack one.
      if (!sidecar && !(await isVersion(path, fileEtag(stats)))) return 'changed'
      if (sidecar?.isImplied) return null
      isReturned = true
      const { contentType, metadata } = sidecar ?? NO_SIDECAR
      return { info: { ...listedOf(key, stats), contentType, metadata }, file }
    } finally {
      if (!isReturned) await file?.close()
    }
  }
}

export function listedOf(key: string, stats: FileStat['stats']): ListedObject {
  const bytes = stats.isDirectory() ? 0 : Number(stats.size)
  return { key, bytes, etag: fileEtag(stats), modifiedAt: stats.mtime }
}

async function isVersion(path: string, etag: string): Promise<boolean> {
  const found = await statEntry(path)
  return found !== null && fileEtag(found.stats) === etag
}

/** Closes the file at the end. */
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
        const { bytesRead } = await withFolderErrors(() => file.read(chunk, { position }))
        left -= bytesRead
        // The file was truncated in place.
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
  // Reads on while a chunk is being used.
  return new ReadableStream(source, { highWaterMark: 1 })
}

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Cancels the stream if the consumer stops or the signal aborts. */
export async function* chunksIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  // Cancelling a failed stream rejects.
  const stop = () => reader.cancel(signal?.reason).catch(() => undefined)
  const onAbort = () => void stop()
  signal?.addEventListener('abort', onAbort)
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      yield chunk.value
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await stop()
  }
}

/** @throws {WrongLength} if there are more or fewer bytes. */
export async function* assertLength(
  bytes: number,
  chunks: Chunks,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    count += chunk.length
    if (count > bytes) throw new WrongLength(bytes, count)
    yield chunk
  }
  signal?.throwIfAborted()
  if (count < bytes) throw new WrongLength(bytes, count)
}
