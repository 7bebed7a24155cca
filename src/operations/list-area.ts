/** Lists what an area holds as its caller sees it: files and folders, in the order of keys. */
import {
  foldersAbove,
  parsePath,
  type FolderPath,
  type PathRules,
  type VirtualPath,
} from '../files/path.ts'
import { untilAborted } from '../lib/abort.ts'
import type { ListedObject, StorageDriver } from '../storage/driver.ts'
import { compareUtf8 } from '../storage/key-order.ts'
import type { CallerFiles } from './caller-files.ts'

/** One file or folder of a listing; only files have a size and a time. */
export interface FileEntry {
  readonly path: VirtualPath
  readonly type: 'file' | 'folder'
  readonly bytes?: number | undefined
  readonly modifiedAt?: Date | undefined
}

/** What says where a listing was: its last entry will do. */
export type ListPosition = Pick<FileEntry, 'path' | 'type'>

/** Without `recursive` only what lies directly in the folder. */
export interface ListAreaOptions {
  readonly recursive?: boolean | undefined
  /** Goes on after this entry, whether or not it is still there. */
  readonly startAfter?: ListPosition | undefined
}

interface Source {
  readonly files: CallerFiles
  readonly storage: StorageDriver
  readonly signal: AbortSignal
}

/** After every key of a folder that people would ever write. */
const LAST = '\u{10ffff}'

/** The shared folder lies elsewhere in the store: in the root it is told in its place, when something is in it. */
export async function* listArea(
  source: Source,
  folder: FolderPath,
  { recursive = false, startAfter }: ListAreaOptions,
): AsyncGenerator<FileEntry> {
  const after = startAfter ? positionOf(startAfter) : ''
  const { sharedDir } = source.files.area
  if (folder !== '' || sharedDir === undefined) {
    return yield* listBelow(source, folder, recursive, after)
  }
  let isSharedTold = false
  for await (const entry of listBelow(source, '', recursive, after)) {
    // Left from a time when the shared folder had another name: no path leads there any more.
    if (entry.path.split('/', 1)[0]!.toLowerCase() === sharedDir.toLowerCase()) continue
    if (!isSharedTold && compareUtf8(positionOf(entry), `${sharedDir}/`) > 0) {
      isSharedTold = true
      yield* listShared(source, sharedDir, recursive, after)
    }
    yield entry
  }
  if (!isSharedTold) yield* listShared(source, sharedDir, recursive, after)
}

async function* listShared(
  source: Source,
  sharedDir: VirtualPath,
  recursive: boolean,
  after: string,
): AsyncGenerator<FileEntry> {
  const isInside = after.startsWith(`${sharedDir}/`)
  if (!isInside && compareUtf8(after, `${sharedDir}/`) > 0) return
  if (!isInside) {
    if (!(await source.files.holdsAny(sharedDir))) return
    yield { path: sharedDir, type: 'folder' }
  }
  if (recursive) yield* listBelow(source, sharedDir, true, isInside ? after : '')
}

async function* listBelow(
  { files, storage, signal }: Source,
  folder: FolderPath,
  recursive: boolean,
  after: string,
): AsyncGenerator<FileEntry> {
  const prefix = files.prefixOf(folder)
  const base = folder === '' ? '' : `${folder}/`
  const startAfter = after && prefix + after.slice(base.length)
  const listing = recursive
    ? storage.list(prefix, { startAfter, signal })
    : storage.list(prefix, {
        delimiter: '/',
        startAfter: after.endsWith('/') ? startAfter + LAST : startAfter,
        signal,
      })
  let told = after === '' ? base : after
  for await (const entry of untilOver(signal, listing)) {
    const key = entry.kind === 'object' ? entry.object.key : entry.prefix
    const position = base + key.slice(prefix.length)
    if (position === base || compareUtf8(position, after) <= 0) continue
    // Made by others, with a name that is no path.
    if (/(?:^|\/)\//.test(position)) continue
    for (const path of foldersAbove(position as VirtualPath)) {
      if (!told.startsWith(`${path}/`)) yield { path, type: 'folder' }
    }
    told = position
    if (entry.kind === 'object' && !key.endsWith('/')) yield fileEntry(position, entry.object)
  }
}

/** Whether a listed name leads back to itself: other programs may have stored some that no path can spell. */
export function isSpellable(path: string, rules: PathRules): boolean {
  try {
    return parsePath(path, rules) === path
  } catch {
    return false
  }
}

/** Stores that cannot cancel a request would keep the caller waiting. */
async function* untilOver<T>(signal: AbortSignal, listing: AsyncIterable<T>): AsyncGenerator<T> {
  const entries = listing[Symbol.asyncIterator]()
  for (;;) {
    const next = await untilAborted(signal, () => entries.next())
    if (next.done) return
    yield next.value
  }
}

function fileEntry(path: string, { bytes, modifiedAt }: ListedObject): FileEntry {
  return { path: path as VirtualPath, type: 'file', bytes, modifiedAt }
}

/** As keys have it, so that it compares as they do: a folder comes before what lies in it. */
function positionOf({ path, type }: ListPosition): string {
  return type === 'folder' ? `${path}/` : path
}
