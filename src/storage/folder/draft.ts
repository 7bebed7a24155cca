/** Files in the making: beside the others, so that they get their names in one step, whole or not at all. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, unlink, type FileHandle } from 'node:fs/promises'
import { MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import type { FolderRoot } from './root.ts'

/** A new file without a name of its own. */
export interface Draft {
  readonly path: string
  readonly handle: FileHandle
}

/** Lends a draft; what is left of it under its path afterwards is removed. */
export type WithDraft = <T>(use: (draft: Draft) => Promise<T>) => Promise<T>

const FOLDER = [HIDDEN, 'tmp']

/** What a process that was killed left behind; the longest upload takes less. */
const ABANDONED_MS = 24 * 3600 * 1000

export function drafts(root: FolderRoot): WithDraft {
  let sweeping: Promise<void> | undefined

  return async function withDraft(use) {
    const folder = await root.make(FOLDER)
    const path = folder.at(randomUUID())
    let handle: FileHandle | undefined
    try {
      // What cannot be swept is left for another time.
      sweeping ??= sweep(folder.at()).catch(() => undefined)
      await sweeping
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
      handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      return await use({ path, handle })
    } finally {
      await handle?.close()
      await nullIf(MISSING, unlink(path))
      await folder.close()
    }
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = `${folder}/${name}`
    const stats = await nullIf(MISSING, lstat(path))
    const ageMs = stats?.isFile() ? Date.now() - stats.mtimeMs : 0
    if (ageMs > ABANDONED_MS) await nullIf(MISSING, unlink(path))
  }
}
