/** Atomic writes and deletes, serialised by the lock, by way of temporary files. */
import { link, rename, unlink, lstat, open, readdir, type FileHandle } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { closeAfter, statEntry, fileEtag, stamp, type FileStat, type FolderRoot } from './root.ts'
import { PreconditionFailed, type PutOptions } from '../driver.ts'
import { FolderError, nullIf, MISSING } from './errors.ts'
import { NO_SIDECAR, type ImpliedFolders, type SidecarStore, type Sidecar } from './sidecar.ts'
import { HIDDEN, type FolderKey } from './key-path.ts'
import type { WithLock } from './lock.ts'

interface FolderWriterOptions {
  readonly root: FolderRoot
  readonly sidecars: SidecarStore
  readonly implied: ImpliedFolders
  readonly withLock: WithLock
}

/** Returns the new etag. */
interface FolderWriter {
  /** Publishes a temporary file under the key. */
  putFile(key: FolderKey, file: TempFile, options: PutOptions): Promise<string>
  putMarker(key: FolderKey, options: PutOptions): Promise<string>
  /** `false` if the etag does not match. */
  remove(key: FolderKey, signal: AbortSignal | undefined, ifMatch?: string): Promise<boolean>
}

export function folderWriter({
  root,
  sidecars,
  implied,
  withLock,
}: FolderWriterOptions): FolderWriter {
  async function find({ parents, name }: FolderKey): Promise<FileStat | null> {
    const folder = await root.open(parents)
    return folder && closeAfter(statEntry(folder.at(name)), folder)
  }

  /** @throws {FolderError} EISDIR */
  async function findFile(key: FolderKey): Promise<FileStat | null> {
    const found = await find(key)
    if (!found?.isFolder) return found
    // It may be an empty folder left by a killed writer.
    await implied.prune([...key.parents, key.name])
    if (await find(key)) throw new FolderError('EISDIR')
    return null
  }

  /** Sidecar first: without its file it is harmless. */
  async function publish(
    { key, parents, name }: FolderKey,
    file: TempFile,
    etag: string,
    options: PutOptions,
  ): Promise<void> {
    try {
      await sidecars.write(key, etag, sidecarOf(options))
      await implied.withFolder(parents, async (folder) => {
        if (options.ifNoneMatch === undefined) return rename(file.path, folder.at(name))
        // `link` also fails for files created meanwhile without the lock.
        const made = await nullIf(['EEXIST'], link(file.path, folder.at(name)))
        if (made === null) throw new PreconditionFailed()
      })
    } catch (error) {
      await sidecars.remove(key, etag)
      throw error
    }
  }

  return {
    putFile: (key, file, options) =>
      withLock(options.signal, async (hidden) => {
        const current = await findFile(key)
        const before = current && fileEtag(current.stats)
        assertPrecondition(options, before)
        if (current) await file.handle.chmod(Number(current.stats.mode) & 0o777)
        const etag = fileEtag(await stamp(hidden, file.handle))
        await publish(key, file, etag, options)
        if (before !== null) await sidecars.remove(key.key, before)
        return etag
      }),

    putMarker: (key, options) =>
      withLock(options.signal, async () => {
        const current = await find(key)
        if (current && !current.isFolder) throw new FolderError('ENOTDIR')
        const before = current && fileEtag(current.stats)
        const isMarked = before !== null && !(await sidecars.read(key.key, before))?.isImplied
        assertPrecondition(options, isMarked ? before : null)
        return implied.withFolder([...key.parents, key.name], async (folder) => {
          const made = await statEntry(folder.at('.'))
          const etag = fileEtag(made!.stats)
          await sidecars.write(key.key, etag, sidecarOf(options))
          return etag
        })
      }),

    async remove(key, signal, ifMatch) {
      // Do not create the root just to delete.
      if (!(await find(key))) return true
      return withLock(signal, async () => {
        const { parents, name, isMarker } = key
        const found = await find(key)
        const folder = found?.isFolder === isMarker ? await root.open(parents) : null
        if (!found || !folder) return true
        const etag = fileEtag(found.stats)
        try {
          if (ifMatch !== undefined && ifMatch !== etag) return false
          if (isMarker) {
            await implied.release(folder.at(name), [...parents, name], etag)
            return true
          }
          await nullIf(['ENOENT'], unlink(folder.at(name)))
        } finally {
          await folder.close()
        }
        await sidecars.remove(key.key, etag)
        await implied.prune(parents)
        return true
      })
    },
  }
}

function sidecarOf({ contentType = NO_SIDECAR.contentType, metadata = {} }: PutOptions): Sidecar {
  return { contentType, metadata }
}

/** @param current The current etag. */
function assertPrecondition({ ifMatch, ifNoneMatch }: PutOptions, current: string | null): void {
  const isMet =
    (ifNoneMatch === undefined || current === null) &&
    (ifMatch === undefined || ifMatch === current)
  if (!isMet) throw new PreconditionFailed()
}

/** On the same file system, so that a rename publishes the file atomically. */
export interface TempFile {
  readonly path: string
  readonly handle: FileHandle
  /** Closes and removes it, unless it was renamed. */
  discard(): Promise<void>
}

const FOLDER = [HIDDEN, 'tmp']

/** Left by killed processes; no upload pauses for longer. */
const STALE_MS = 24 * 3600 * 1000

export function tempFiles(root: FolderRoot): () => Promise<TempFile> {
  let sweeping: Promise<void> | undefined

  return async function openTempFile() {
    const folder = await root.make(FOLDER)
    const path = folder.at(randomUUID())
    try {
      // Best effort.
      sweeping ??= sweep(folder.at()).catch(() => undefined)
      await sweeping
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
      const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      const remove = async () => {
        await handle.close()
        await nullIf(MISSING, unlink(path))
      }
      return { path, handle, discard: () => closeAfter(remove(), folder) }
    } catch (error) {
      await folder.close()
      throw error
    }
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = `${folder}/${name}`
    const stats = await nullIf(MISSING, lstat(path))
    const ageMs = stats?.isFile() ? Date.now() - stats.mtimeMs : 0
    if (ageMs > STALE_MS) await nullIf(MISSING, unlink(path))
  }
}
