/** Looks at what has a name, and opens it, without following a link or waiting for anybody. */
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { FolderError, MISSING, nullIf } from './errors.ts'

/** What a name stands for. */
export interface Found {
  readonly isFolder: boolean
  readonly stats: BigIntStats
}

/** @throws {FolderError} for symbolic links and whatever else is neither a file nor a folder. */
export async function look(path: string): Promise<Found | null> {
  const stats = await nullIf(MISSING, lstat(path, { bigint: true }))
  if (!stats) return null
  if (stats.isSymbolicLink()) throw new FolderError('ELOOP')
  if (!stats.isFile() && !stats.isDirectory()) throw new FolderError('ENOTSUP')
  return { isFolder: stats.isDirectory(), stats }
}

/** Opens a file for reading: never one behind a link, and never waiting for whoever is at the other end of a pipe. */
export async function openFile(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await nullIf(MISSING, open(path, flags))
  if (!handle) return null
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new FolderError('ENOTSUP')
}
