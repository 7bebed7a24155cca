/** Directories that come and go with what lies in them, as the folders of an object store do. */
import { rmdir } from 'node:fs/promises'
import { closeAfter } from './close-after.ts'
import { prefixOf } from './key-path.ts'
import { look } from './stat.ts'
import { NO_NOTE, type FolderNotes, type Note } from './sidecar.ts'
import type { FolderRoot, OpenFolder } from './root.ts'
import { etagOf } from './version.ts'

/** Only what was made here for the sake of a file goes with it: whatever else made a folder meant it to stay. */
export interface ImpliedFolders {
  /** Makes the folders that are missing; leaves none of them behind when `work` fails. */
  lend<T>(names: readonly string[], work: (folder: OpenFolder) => Promise<T>): Promise<T>
  /** Removes a folder that is only implied and empty, and those above it that are so then. */
  tidy(names: readonly string[]): Promise<void>
  /** Ends a folder that was made to stay: it goes now, or with the last that lies in it. */
  release(path: string, names: readonly string[], etag: string): Promise<void>
}

const IMPLIED: Note = { ...NO_NOTE, isImplied: true }

export function impliedFolders(root: FolderRoot, notes: FolderNotes): ImpliedFolders {
  async function markImplied(names: readonly string[], path: string): Promise<void> {
    const made = await look(path)
    if (made) await notes.write(prefixOf(names), etagOf(made.stats), IMPLIED)
  }

  async function tidy(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const above = names.slice(0, -1)
    const folder = await root.open(above)
    const isGone = !folder || (await closeAfter(tidyOne(folder, names), folder))
    if (isGone) await tidy(above)
  }

  async function tidyOne(above: OpenFolder, names: readonly string[]): Promise<boolean> {
    const path = above.at(names.at(-1))
    const found = await look(path)
    if (!found) return true
    const etag = etagOf(found.stats)
    if (!found.isFolder || !(await notes.read(prefixOf(names), etag))?.isImplied) return false
    return removeEmpty(path, names, etag)
  }

  async function removeEmpty(path: string, names: readonly string[], etag: string) {
    try {
      await rmdir(path)
    } catch {
      // Not empty, or not ours to remove: it stays.
      return false
    }
    await notes.remove(prefixOf(names), etag)
    return true
  }

  return {
    async lend(names, work) {
      let folder: OpenFolder | undefined
      try {
        folder = await root.make(names, markImplied)
        return await work(folder)
      } catch (error) {
        // What failed first is what counts.
        await tidy(names).catch(() => undefined)
        throw error
      } finally {
        await folder?.close()
      }
    },

    tidy,

    async release(path, names, etag) {
      if (await removeEmpty(path, names, etag)) await tidy(names.slice(0, -1))
      else await notes.write(prefixOf(names), etag, IMPLIED)
    },
  }
}
