/**
 * Sidecar files for content type and metadata, in the hidden folder, and the directories they mark.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, unlink, rmdir } from 'node:fs/promises'
import {
  closeAfter,
  openForReading,
  statEntry,
  fileEtag,
  type FolderRoot,
  type OpenFolder,
} from './root.ts'
import { MISSING, nullIf } from './errors.ts'
import { HIDDEN, prefixOf } from './key-path.ts'

export interface Sidecar {
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
  /** A folder that exists only for its contents. */
  readonly isImplied?: true
}

/** For files put into the folder by hand. */
export const NO_SIDECAR: Sidecar = { contentType: 'application/octet-stream', metadata: {} }

/** Keyed by version: a file changed by other means has no sidecar. */
export interface SidecarStore {
  read(key: string, etag: string): Promise<Sidecar | null>
  /** Needs the lock. Written before the file, so that readers never see a file without it. */
  write(key: string, etag: string, sidecar: Sidecar): Promise<void>
  remove(key: string, etag: string): Promise<void>
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

export function sidecarStore(root: FolderRoot): SidecarStore {
  return {
    async read(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return null
      try {
        const file = await nullIf(['ELOOP'], openForReading(hidden.at(fileName(key, etag))))
        return file && parseSidecar(await closeAfter(file.readFile('utf8'), file))
      } finally {
        await hidden.close()
      }
    },

    async write(key, etag, sidecar) {
      const hidden = await root.make([HIDDEN])
      try {
        const path = hidden.at(fileName(key, etag))
        const create = () => open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        let file = await nullIf(['EEXIST'], create())
        if (!file) {
          await unlink(path)
          file = await create()
        }
        await closeAfter(file.writeFile(JSON.stringify(sidecar)), file)
      } finally {
        await hidden.close()
      }
    },

    async remove(key, etag) {
      const hidden = await root.open([HIDDEN])
      if (!hidden) return
      await closeAfter(nullIf(MISSING, unlink(hidden.at(fileName(key, etag)))), hidden)
    },
  }
}

function fileName(key: string, etag: string): string {
  return createHash('sha256').update(`${etag}/${key}`).digest('hex')
}

/** May be empty or torn after a power loss. */
function parseSidecar(text: string): Sidecar | null {
  let sidecar: unknown
  try {
    sidecar = JSON.parse(text)
  } catch {
    return null
  }
  return isSidecar(sidecar) ? sidecar : null
}

function isSidecar(sidecar: unknown): sidecar is Sidecar {
  if (!(sidecar instanceof Object) || !('contentType' in sidecar) || !('metadata' in sidecar))
    return false
  const { contentType, metadata } = sidecar
  if (typeof contentType !== 'string' || !(metadata instanceof Object)) return false
  return Object.values(metadata).every((value) => typeof value === 'string')
}

/**
 * Directories that exist only for their contents, like the folders of an object store. Only
 * directories created here for a file are removed with it; others were made to stay.
 */
export interface ImpliedFolders {
  /** Creates missing folders; removes them again if `work` fails. */
  withFolder<T>(names: readonly string[], work: (folder: OpenFolder) => Promise<T>): Promise<T>
  /** Removes an empty implied folder, then its parents likewise. */
  prune(names: readonly string[]): Promise<void>
  /** Turns a marker into an implied folder, removed now or with its last entry. */
  release(path: string, names: readonly string[], etag: string): Promise<void>
}

const IMPLIED: Sidecar = { ...NO_SIDECAR, isImplied: true }

export function impliedFolders(root: FolderRoot, sidecars: SidecarStore): ImpliedFolders {
  async function markImplied(names: readonly string[], path: string): Promise<void> {
    const made = await statEntry(path)
    if (made) await sidecars.write(prefixOf(names), fileEtag(made.stats), IMPLIED)
  }

  async function prune(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const parents = names.slice(0, -1)
    const folder = await root.open(parents)
    const isGone = !folder || (await closeAfter(pruneOne(folder, names), folder))
    if (isGone) await prune(parents)
  }

  async function pruneOne(parents: OpenFolder, names: readonly string[]): Promise<boolean> {
    const path = parents.at(names.at(-1))
    const found = await statEntry(path)
    if (!found) return true
    const etag = fileEtag(found.stats)
    if (!found.isFolder || !(await sidecars.read(prefixOf(names), etag))?.isImplied) return false
    return removeEmpty(path, names, etag)
  }

  async function removeEmpty(path: string, names: readonly string[], etag: string) {
    try {
      await rmdir(path)
    } catch {
      // Not empty, or not permitted: it stays.
      return false
    }
    await sidecars.remove(prefixOf(names), etag)
    return true
  }

  return {
    async withFolder(names, work) {
      let folder: OpenFolder | undefined
      try {
        folder = await root.make(names, markImplied)
        return await work(folder)
      } catch (error) {
        // Report the first error.
        await prune(names).catch(() => undefined)
        throw error
      } finally {
        await folder?.close()
      }
    },

    prune,

    async release(path, names, etag) {
      if (await removeEmpty(path, names, etag)) await prune(names.slice(0, -1))
      else await sidecars.write(prefixOf(names), etag, IMPLIED)
    },
  }
}
