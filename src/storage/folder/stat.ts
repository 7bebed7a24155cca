/** Stats and opens files without following links or blocking. */
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { FolderError, MISSING, nullIf } from './errors.ts'

export interface FileStat {
  readonly isFolder: boolean
  readonly stats: BigIntStats
}

/** @throws {FolderError} for symbolic links and special files. */
export async function statEntry(path: string): Promise<FileStat | null> {
  const stats = await nullIf(MISSING, lstat(path, { bigint: true }))
  if (!stats) return null
  if (stats.isSymbolicLink()) throw new FolderError('ELOOP')
  if (!stats.isFile() && !stats.isDirectory()) throw new FolderError('ENOTSUP')
  return { isFolder: stats.isDirectory(), stats }
}

/** Never follows a link, and never blocks on a pipe. */
export async function openForReading(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await nullIf(MISSING, open(path, flags))
  if (!handle) return null
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new FolderError('ENOTSUP')
}
