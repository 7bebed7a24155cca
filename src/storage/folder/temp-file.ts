/** Temporary files on the same file system, so that a rename publishes them atomically. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, unlink, type FileHandle } from 'node:fs/promises'
import { MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import type { FolderRoot } from './root.ts'

export interface TempFile {
  readonly path: string
  readonly handle: FileHandle
}

/** Removes the temporary file afterwards, unless it was renamed. */
export type WithTempFile = <T>(use: (file: TempFile) => Promise<T>) => Promise<T>

const FOLDER = [HIDDEN, 'tmp']

/** Left by killed processes; no upload takes longer. */
const STALE_MS = 24 * 3600 * 1000

export function tempFiles(root: FolderRoot): WithTempFile {
  let sweeping: Promise<void> | undefined

  return async function withTempFile(use) {
    const folder = await root.make(FOLDER)
    const path = folder.at(randomUUID())
    let handle: FileHandle | undefined
    try {
      // Best effort.
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
    if (ageMs > STALE_MS) await nullIf(MISSING, unlink(path))
  }
}
