/** Lists the files and folders of an area as its caller sees them, in key order. */
import type { ListedObject, ListEntry, ListOptions } from '../../storage/driver.ts'
import { compareUtf8 } from '../../storage/key-order.ts'
import type { AreaKeys } from './area.ts'
import { foldersAbove, type FolderPath, type VirtualPath } from '../path.ts'

/** Only files have a size and a time. */
export interface FileEntry {
  readonly path: VirtualPath
  readonly type: 'file' | 'folder'
  readonly bytes?: number | undefined
  readonly modifiedAt?: Date | undefined
}

/** A resume position: the last entry of the previous page. */
export type ListPosition = Pick<FileEntry, 'path' | 'type'>

/** Without `recursive`, direct children only. */
export interface ListAreaOptions {
  readonly recursive?: boolean | undefined
  /** Resumes after this entry, even if it no longer exists. */
  readonly startAfter?: ListPosition | undefined
  /** Upper bound on the entries requested from the store. */
  readonly limit?: number
  /** Files to hide, with the folders that contain nothing else. */
  readonly except?: ReadonlySet<VirtualPath> | undefined
  /** Also yields the folder itself if a marker keeps it while empty. */
  readonly withMarker?: boolean | undefined
}

/** What a listing needs from the store. */
export interface ListSource {
  readonly area: Pick<AreaKeys, 'sharedDir'>
  prefixOf(folder: FolderPath): string
  listKeys(prefix: string, options: ListOptions): AsyncIterable<ListEntry>
  /** Whether anything is below a folder apart from `except`. */
  holdsAny(folder: FolderPath, except?: ReadonlySet<VirtualPath>): Promise<boolean>
}

/** Sorts after any realistic key of a folder. */
const LAST = '\u{10ffff}'

/** The shared folder has another key prefix: it is merged into the root listing unless empty. */
export async function* listArea(
  source: ListSource,
  folder: FolderPath,
  options: ListAreaOptions,
): AsyncGenerator<FileEntry> {
  const after = options.startAfter ? positionOf(options.startAfter) : ''
  const { sharedDir } = source.area
  if (folder !== '' || sharedDir === undefined) {
    return yield* listBelow(source, folder, options, after)
  }
  let isSharedTold = false
  for await (const entry of listBelow(source, '', options, after)) {
    // Left over from a shared folder under another name: no path can reach it.
    if (entry.path.split('/', 1)[0]!.toLowerCase() === sharedDir.toLowerCase()) continue
    if (!isSharedTold && compareUtf8(positionOf(entry), `${sharedDir}/`) > 0) {
      isSharedTold = true
      yield* listShared(source, sharedDir, options, after)
    }
    yield entry
  }
  if (!isSharedTold) yield* listShared(source, sharedDir, options, after)
}

async function* listShared(
  source: ListSource,
  sharedDir: VirtualPath,
  options: ListAreaOptions,
  after: string,
): AsyncGenerator<FileEntry> {
  const isInside = after.startsWith(`${sharedDir}/`)
  if (!isInside && compareUtf8(after, `${sharedDir}/`) > 0) return
  if (!isInside) {
    if (!(await source.holdsAny(sharedDir, options.except))) return
    yield { path: sharedDir, type: 'folder' }
  }
  if (options.recursive) yield* listBelow(source, sharedDir, options, isInside ? after : '')
}

async function* listBelow(
  source: ListSource,
  folder: FolderPath,
  { recursive = false, except = new Set(), withMarker = false, limit }: ListAreaOptions,
  after: string,
): AsyncGenerator<FileEntry> {
  const prefix = source.prefixOf(folder)
  const base = folder === '' ? '' : `${folder}/`
  const startAfter = after && prefix + after.slice(base.length)
  const listing = source.listKeys(prefix, {
    ...(limit !== undefined && { limit }),
    ...(!recursive && { delimiter: '/' }),
    startAfter: !recursive && after.endsWith('/') ? startAfter + LAST : startAfter,
  })
  const touched = subfoldersWith(folder, except)
  let previous = after === '' ? base : after
  for await (const entry of listing) {
    const key = entry.kind === 'object' ? entry.object.key : entry.prefix
    const position = base + key.slice(prefix.length)
    // A marker, or a foreign key that is not a valid path.
    if (position === base || /(?:^|\/)\//.test(position)) {
      if (withMarker && folder !== '') yield { path: folder, type: 'folder' }
      continue
    }
    if (compareUtf8(position, after) <= 0 || except.has(position as VirtualPath)) continue
    const isEmptied = async (path: VirtualPath) =>
      entry.kind === 'prefix' && touched.has(path) && !(await source.holdsAny(path, except))
    for (const path of foldersAbove(position as VirtualPath)) {
      if (previous.startsWith(`${path}/`) || (await isEmptied(path))) continue
      yield { path, type: 'folder' }
    }
    previous = position
    if (entry.kind === 'object' && !key.endsWith('/')) yield fileEntry(position, entry.object)
  }
}

/** The direct subfolders of a folder that contain any of the files. */
function subfoldersWith(folder: FolderPath, paths: ReadonlySet<VirtualPath>): Set<string> {
  const found = new Set<string>()
  for (const path of pathsBelow(folder, paths)) {
    const end = path.indexOf('/', folder.length + 1)
    if (end !== -1) found.add(path.slice(0, end))
  }
  return found
}

/** Those of the files that are anywhere below a folder: a run may have removed thousands. */
export function pathsBelow(folder: FolderPath, paths: ReadonlySet<VirtualPath>): VirtualPath[] {
  if (folder === '') return [...paths]
  const found: VirtualPath[] = []
  for (const path of paths) if (path.startsWith(`${folder}/`)) found.push(path)
  return found
}

function fileEntry(path: string, { bytes, modifiedAt }: ListedObject): FileEntry {
  return { path: path as VirtualPath, type: 'file', bytes, modifiedAt }
}

/** In key form, so it sorts like keys: a folder precedes its contents. */
function positionOf({ path, type }: ListPosition): string {
  return type === 'folder' ? `${path}/` : path
}
