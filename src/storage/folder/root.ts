/**
 * Opens directories and files below a root without following symbolic links; tells their versions
 * apart.
 */
import { constants, existsSync, type BigIntStats } from 'node:fs'
import { mkdir, open, readlink, realpath, rmdir, lstat, type FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { FolderError, MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'

/** Was inside the root when opened; must be closed. */
export interface OpenFolder {
  /** The path of an entry, or its own. */
  at(name?: string): string
  close(): Promise<void>
}

/** Called for each directory created. */
type OnMade = (names: readonly string[], path: string) => Promise<void>

/** Symbolic links below the root are refused, even those that stay inside: ELOOP. */
export interface FolderRoot {
  /** `null` if missing. */
  open(names: readonly string[]): Promise<OpenFolder | null>
  /** Creates missing directories, the root included. */
  make(names: readonly string[], onMade?: OnMade): Promise<OpenFolder>
}

const DIRECTORY =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Linux can address an open directory by descriptor, so swapping a parent has no effect. Elsewhere
 * a race remains between check and use.
 */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = process.platform === 'linux' && existsSync(DESCRIPTORS)

/** Bounds retries under concurrent changes. */
const MAX_TRIES = 20

/** Creates nothing yet. The root itself may be behind links: the operator chose it. */
export function folderRoot(rootPath: string): FolderRoot {
  const given = resolve(rootPath)
  let real: string | null = null

  async function find(): Promise<string | null> {
    real ??= await nullIf(['ENOENT'], realpath(given))
    return real
  }

  async function openAt(names: readonly string[]): Promise<OpenFolder | null> {
    const root = await find()
    if (root === null) return null
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const opened = await openReal([root === '/' ? '' : root, ...names].join('/') || '/')
      if (opened) return opened
      if (!(await isThere(root, names))) return null
    }
    throw new FolderError('ESTALE')
  }

  async function make(names: readonly string[], onMade?: OnMade): Promise<OpenFolder> {
    const there = await openAt(names)
    if (there) return there
    const name = names.at(-1)
    if (name === undefined) await mkdir(real ?? given, { recursive: true })
    else await makeIn(names.slice(0, -1), name, onMade)
    const made = await openAt(names)
    if (!made) throw new FolderError('ENOTDIR')
    return made
  }

  async function makeIn(parents: readonly string[], name: string, onMade?: OnMade): Promise<void> {
    const parent = await make(parents, onMade)
    try {
      const names = [...parents, name]
      const mode = names[0] === HIDDEN ? 0o700 : 0o777
      const path = parent.at(name)
      if ((await nullIf(['EEXIST'], mkdir(path, { mode }))) === null) return
      await onMade?.(names, path).catch(async (error: unknown) => {
        await rmdir(path)
        throw error
      })
    } finally {
      await parent.close()
    }
  }

  return { open: openAt, make }
}

/** `null` unless the path is a real directory. */
async function openReal(path: string): Promise<OpenFolder | null> {
  const handle = await nullIf([...MISSING, 'ELOOP'], open(path, DIRECTORY))
  if (!handle) return null
  const place = hasDescriptors ? `${DESCRIPTORS}/${handle.fd}` : path
  const close = () => handle.close()
  try {
    const found = hasDescriptors ? await readlink(place) : await nullIf(MISSING, realpath(path))
    if (found === path) return { at: (name) => (name ? `${place}/${name}` : place), close }
  } catch (error) {
    await close()
    throw error
  }
  await close()
  return null
}

/** Whether all are directories; a dangling link is refused too. */
async function isThere(root: string, names: readonly string[]): Promise<boolean> {
  const top = await statEntry(root)
  if (!top) return false
  if (!top.isFolder) throw new FolderError('ENOTDIR')
  let path = root
  for (const name of names) {
    path += `/${name}`
    if (!(await statEntry(path))?.isFolder) return false
  }
  return true
}

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

/** Closes a handle after use, whether or not that failed. */
export async function closeAfter<T>(
  work: Promise<T>,
  opened: { close(): Promise<void> },
): Promise<T> {
  try {
    return await work
  } finally {
    await opened.close()
  }
}
