/** Directories that exist only for their contents, like the folders of an object store. */
import { rmdir } from 'node:fs/promises'
import { closeAfter } from './close-after.ts'
import { prefixOf } from './key-path.ts'
import { statEntry } from './stat.ts'
import { NO_SIDECAR, type SidecarStore, type Sidecar } from './sidecar.ts'
import type { FolderRoot, OpenFolder } from './root.ts'
import { fileEtag } from './version.ts'

/** Only directories created here for a file are removed with it; others were made to stay. */
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
