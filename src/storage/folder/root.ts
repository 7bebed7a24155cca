/** Opens directories below a root without following symbolic links. */
import { constants, existsSync } from 'node:fs'
import { mkdir, open, readlink, realpath, rmdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { FolderError, MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import { statEntry } from './stat.ts'

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
