/** File versions, distinct even within one clock tick. */
import { constants, type BigIntStats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { FolderError } from './errors.ts'
import type { OpenFolder } from './root.ts'

const CLOCK = 'clock'

/** File systems round times. */
const STEP_US = 10

/** Tolerates a clock set back a little; one that was far off is ignored. */
const MAX_AHEAD_US = 24 * 3600 * 1_000_000

/** A folder's etag does not depend on its contents. */
export function fileEtag(stats: BigIntStats): string {
  const id = stats.ino.toString(36)
  if (stats.isDirectory()) return `folder-${id}`
  return `${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}-${id}`
}

/**
 * Gives a file a modification time unique in this root: size and inode repeat, and the clock is
 * coarse. Needs the lock.
 */
export async function stamp(hidden: OpenFolder, file: FileHandle): Promise<BigIntStats> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const clock = await open(hidden.at(CLOCK), flags, 0o600)
  try {
    const last = await clock.stat({ bigint: true })
    if (!last.isFile()) throw new FolderError('ENOTSUP')
    const nowUs = Date.now() * 1000
    const lastUs = Number(last.mtimeNs / 1000n)
    const isPlausible = lastUs < nowUs + MAX_AHEAD_US
    const seconds = (isPlausible ? Math.max(nowUs, lastUs + STEP_US) : nowUs) / 1_000_000
    await clock.utimes(seconds, seconds)
    await file.utimes(seconds, seconds)
  } finally {
    await clock.close()
  }
  return file.stat({ bigint: true })
}
