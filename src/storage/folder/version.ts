/** Tells the versions of files apart, also those that follow each other within one tick of the clock. */
import { constants, type BigIntStats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { FolderError } from './errors.ts'
import type { OpenFolder } from './root.ts'

const CLOCK = 'clock'

/** The system keeps a time a little less exactly than it is told. */
const STEP_US = 10

/** A machine's clock may be set back a little; if it was wrong by more, its times need not be followed. */
const MAX_AHEAD_US = 24 * 3600 * 1_000_000

/** A folder keeps its etag however often something in it changes. */
export function etagOf(stats: BigIntStats): string {
  const id = stats.ino.toString(36)
  if (stats.isDirectory()) return `folder-${id}`
  return `${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}-${id}`
}

/**
 * Gives a file a time that no file of this root got before: size and inode come again, and several
 * writes may see the same time. Only for one process at a time.
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
