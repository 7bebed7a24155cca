/** The directories below a root, opened so that no symbolic link can lead elsewhere. */
import { constants, existsSync } from 'node:fs'
import { mkdir, open, readlink, realpath, rmdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { FolderError, MISSING, nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import { look } from './stat.ts'

/** A directory that lay inside the root when it was opened; to be closed. */
export interface OpenFolder {
  /** The path of something directly in it, or its own. */
  at(name?: string): string
  close(): Promise<void>
}

/** Told of a directory that was made, and of a path to it. */
type OnMade = (names: readonly string[], path: string) => Promise<void>

/** Every symbolic link below the root is refused, also one that stays inside: `FolderError` ELOOP. */
export interface FolderRoot {
  /** Resolves to `null` when there is no such directory. */
  open(names: readonly string[]): Promise<OpenFolder | null>
  /** Makes what is missing, the root included. */
  make(names: readonly string[], onMade?: OnMade): Promise<OpenFolder>
}

const DIRECTORY =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Linux names an open directory by its descriptor. Whatever is swapped in on the way to it afterwards
 * does not count then; elsewhere a moment is left between the look at a path and its use.
 */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = process.platform === 'linux' && existsSync(DESCRIPTORS)

/** Others may be changing it at the same time. */
const MAX_LOOKS = 20

/** Makes nothing yet. The root itself may be reached through links: it is the operator's choice. */
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
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const opened = await openExactly([root === '/' ? '' : root, ...names].join('/') || '/')
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

  async function makeIn(above: readonly string[], name: string, onMade?: OnMade): Promise<void> {
    const parent = await make(above, onMade)
    try {
      const names = [...above, name]
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

/** `null` unless the path leads to a directory that is really there. */
async function openExactly(path: string): Promise<OpenFolder | null> {
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

/** Whether all of them are directories; a link is refused even if it leads nowhere. */
async function isThere(root: string, names: readonly string[]): Promise<boolean> {
  const top = await look(root)
  if (!top) return false
  if (!top.isFolder) throw new FolderError('ENOTDIR')
  let path = root
  for (const name of names) {
    path += `/${name}`
    if (!(await look(path))?.isFolder) return false
  }
  return true
}
