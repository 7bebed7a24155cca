/** Objects as plain files in a folder of this machine, for scripts of one's own. */
import { writeFile } from 'node:fs/promises'
import type { GetOptions, PutOptions, PutStreamOptions, StorageDriver } from '../driver.ts'
import { drafts } from './draft.ts'
import { FolderError, inFolderTerms } from './errors.ts'
import { impliedFolders } from './implied-folders.ts'
import { parseKey } from './key-path.ts'
import { folderLister } from './list.ts'
import { folderNotes } from './sidecar.ts'
import { exactly, piecesOf, type Pieces } from './chunks.ts'
import { objectOpener, streamOf } from './read.ts'
import { folderRoot } from './root.ts'
import { turns } from './lock.ts'
import { folderWriter } from './write.ts'
import { byteLengthOf, chunksOf } from '../object-body.ts'
import { readAll } from '../read-all.ts'
import { untilAborted } from '../../lib/abort.ts'

type Signal = AbortSignal | undefined

/**
 * The object `a/b.txt` is the file `a/b.txt` below the root, which is made with the first write; files that
 * people put there are objects too, and empty folders are markers. Symbolic links are refused where a key
 * leads over one and left out of listings, wherever they point. Several processes may use one folder.
 *
 * Unlike in an object store, a name is a file or a folder: a put that would make it both is rejected.
 */
export function folderStorage(path: string): StorageDriver {
  // Names mean other things there, and there is no way to open a file without following links.
  if (process.platform === 'win32') throw new Error('a folder can be the store on Linux and macOS')
  const root = folderRoot(path)
  const withDraft = drafts(root)
  const notes = folderNotes(root)
  const openObject = objectOpener(root, notes)
  const list = folderLister(root, notes)
  const implied = impliedFolders(root, notes)
  const writer = folderWriter({ root, notes, implied, inTurn: turns(root) })

  const ask = <T>(signal: Signal, request: () => Promise<T>) =>
    untilAborted(signal, () => inFolderTerms(request))

  const open = (key: string, { range, signal }: GetOptions) =>
    ask(signal, async () => {
      const object = await openObject(key)
      if (!object) return null
      const { info, file } = object
      const offset = range?.offset ?? 0
      const length = Math.max(0, Math.min(range?.length ?? info.bytes, info.bytes - offset))
      const body = await streamOf(file, offset, length)
      // Nobody is left to read it.
      if (signal?.aborted) await body.cancel()
      return { info, body, length }
    })

  const put = (key: string, pieces: Pieces, bytes: number, options: PutOptions) =>
    ask(options.signal, async () => {
      const parsed = parseKey(key)
      const counted = exactly(bytes, pieces, options.signal)
      if (!parsed.isMarker) {
        return withDraft(async (draft) => {
          await writeFile(draft.handle, counted)
          return { etag: await writer.putFile(parsed, draft, options) }
        })
      }
      for await (const piece of counted) if (piece.length > 0) throw new FolderError('EISDIR')
      return { etag: await writer.putMarker(parsed, options) }
    })

  async function putStream(
    key: string,
    body: ReadableStream<Uint8Array>,
    options: PutStreamOptions,
  ) {
    try {
      return await put(key, piecesOf(body, options.signal), options.bytes, options)
    } finally {
      // Where nobody began to read it. One that broke cannot be cancelled, and need not be.
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
      ask(signal, async () => {
        const object = await openObject(key)
        await object?.file?.close()
        return object && object.info
      }),

    put: (key, body, options = {}) => put(key, chunksOf(body), byteLengthOf(body), options),

    putStream,

    delete: (key, { signal } = {}) =>
      ask(signal, async () => {
        await writer.remove(parseKey(key), signal)
      }),

    deleteIf: (key, etag, { signal } = {}) =>
      ask(signal, () => writer.remove(parseKey(key), signal, etag)),

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
