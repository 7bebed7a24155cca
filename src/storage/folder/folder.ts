/** Objects as plain files in a local folder. */
import { writeFile } from 'node:fs/promises'
import type { GetOptions, PutOptions, PutStreamOptions, StorageDriver } from '../driver.ts'
import { tempFiles, folderWriter } from './write.ts'
import { folderUpload } from './upload.ts'
import { created } from '../part-list.ts'
import { FolderError, withFolderErrors } from './errors.ts'
import { impliedFolders, sidecarStore } from './sidecar.ts'
import { parseKey } from './key-path.ts'
import { folderLister } from './list.ts'
import { assertLength, chunksIn, objectOpener, streamOf, type Chunks } from './read.ts'
import { folderRoot } from './root.ts'
import { folderLock } from './lock.ts'
import { byteLengthOf, chunksOf } from '../object-body.ts'
import { readAll } from '../read-stream.ts'
import { untilAborted } from '../../lib/abort.ts'

type Signal = AbortSignal | undefined

/**
 * The object `a/b.txt` is the file `a/b.txt` below the root, which the first write creates; files
 * put there by hand are objects too, and empty folders are markers. Symbolic links are refused in
 * keys and skipped in listings. Several processes may share a folder. Unlike in an object store, a
 * name is a file or a folder: a put that would make it both is rejected.
 */
export function folderStorage(path: string): StorageDriver {
  // Windows has other name rules, and no O_NOFOLLOW.
  if (process.platform === 'win32') throw new Error('folder storage needs Linux or macOS')
  const root = folderRoot(path)
  const openTempFile = tempFiles(root)
  const sidecars = sidecarStore(root)
  const openObject = objectOpener(root, sidecars)
  const list = folderLister(root, sidecars)
  const implied = impliedFolders(root, sidecars)
  const writer = folderWriter({ root, sidecars, implied, withLock: folderLock(root) })

  const request = <T>(signal: Signal, work: () => Promise<T>) =>
    untilAborted(signal, () => withFolderErrors(work))

  const open = (key: string, { range, signal }: GetOptions) =>
    request(signal, async () => {
      const object = await openObject(key)
      if (!object) return null
      const { info, file } = object
      const offset = range?.offset ?? 0
      const length = Math.max(0, Math.min(range?.length ?? info.bytes, info.bytes - offset))
      const body = await streamOf(file, offset, length)
      // The caller has gone.
      if (signal?.aborted) await body.cancel()
      return { info, body, length }
    })

  const put = (key: string, chunks: Chunks, bytes: number, options: PutOptions) =>
    request(options.signal, async () => {
      const parsed = parseKey(key)
      const counted = assertLength(bytes, chunks, options.signal)
      if (!parsed.isMarker) {
        const file = await openTempFile()
        try {
          await writeFile(file.handle, counted)
          return { etag: await writer.putFile(parsed, file, options) }
        } finally {
          await file.discard()
        }
      }
      for await (const chunk of counted) if (chunk.length > 0) throw new FolderError('EISDIR')
      return { etag: await writer.putMarker(parsed, options) }
    })

  async function putStream(
    key: string,
    body: ReadableStream<Uint8Array>,
    options: PutStreamOptions,
  ) {
    try {
      return await put(key, chunksIn(body, options.signal), options.bytes, options)
    } finally {
      // If it was never read. Cancelling a failed stream rejects.
      if (!body.locked) await body.cancel().catch(() => undefined)
    }
  }

  return {
    async get(key, options = {}) {
      const opened = await open(key, options)
      if (!opened) return null
      const { info, body, length } = opened
      return { ...info, body: await readAll(body, length, options.signal) }
    },

    async getStream(key, options = {}) {
      const opened = await open(key, options)
      return opened && { ...opened.info, body: opened.body }
    },

    head: (key, { signal } = {}) =>
      request(signal, async () => {
        const object = await openObject(key)
        await object?.file?.close()
        return object && object.info
      }),

    put: (key, body, options = {}) => put(key, chunksOf(body), byteLengthOf(body), options),

    putStream,

    createUpload: (key, options = {}) =>
      created(options.signal, () =>
        withFolderErrors(async () => {
          const parsed = parseKey(key)
          if (parsed.isMarker) throw new FolderError('EISDIR')
          const draft = await openTempFile()
          return folderUpload(draft, request, (signal) =>
            writer.putFile(parsed, draft, { ...options, signal }),
          )
        }),
      ),

    delete: (key, { signal } = {}) =>
      request(signal, async () => {
        await writer.remove(parseKey(key), signal)
      }),

    deleteIf: (key, etag, { signal } = {}) =>
      request(signal, () => writer.remove(parseKey(key), signal, etag)),

    list,

    async copy(from, to, { signal } = {}) {
      const source = await open(from, { signal })
      if (!source) return false
      const { bytes, contentType, metadata } = source.info
      await putStream(to, source.body, { bytes, contentType, metadata, signal })
      return true
    },
  }
}
