/** Lists what an area holds as its caller sees it: files and folders, in the order of keys. */
import type { ListedObject, ListEntry, ListOptions } from '../storage/driver.ts'
import { compareUtf8 } from '../storage/key-order.ts'
import type { AreaKeys } from './area.ts'
import { foldersAbove, type FolderPath, type VirtualPath } from './path.ts'

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
  /** The most entries that the store is asked for. */
  readonly limit?: number
  /** Files that are as good as gone, with the folders that hold nothing else. */
  readonly except?: ReadonlySet<VirtualPath> | undefined
  /** Also tells the folder itself, when something in the store says that it is there even while it is empty. */
  readonly withMarker?: boolean | undefined
}

/** What a listing asks the store. */
export interface ListSource {
  readonly area: Pick<AreaKeys, 'sharedDir'>
  prefixOf(folder: FolderPath): string
  listKeys(prefix: string, options: ListOptions): AsyncIterable<ListEntry>
  /** Whether there is anything below a folder apart from some files. */
  holdsAny(folder: FolderPath, except?: ReadonlySet<VirtualPath>): Promise<boolean>
}

/** After every key of a folder that people would ever write. */
const LAST = '\u{10ffff}'

/** The shared folder lies elsewhere in the store: in the root it is told in its place, when something is in it. */
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
    // Left from a time when the shared folder had another name: no path leads there any more.
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
  const touched = foldersOf(except)
  let told = after === '' ? base : after
  for await (const entry of listing) {
    const key = entry.kind === 'object' ? entry.object.key : entry.prefix
    const position = base + key.slice(prefix.length)
    // A marker, or made by others with a name that is no path.
    if (position === base || /(?:^|\/)\//.test(position)) {
      if (withMarker && folder !== '') yield { path: folder, type: 'folder' }
      continue
    }
    if (compareUtf8(position, after) <= 0 || except.has(position as VirtualPath)) continue
    const isEmptied = async (path: VirtualPath) =>
      entry.kind === 'prefix' && touched.has(path) && !(await source.holdsAny(path, except))
    for (const path of foldersAbove(position as VirtualPath)) {
      if (told.startsWith(`${path}/`) || (await isEmptied(path))) continue
      yield { path, type: 'folder' }
    }
    told = position
    if (entry.kind === 'object' && !key.endsWith('/')) yield fileEntry(position, entry.object)
  }
}

/** Every folder that one of the files lies in. */
function foldersOf(paths: ReadonlySet<VirtualPath>): Set<VirtualPath> {
  return new Set([...paths].flatMap(foldersAbove))
}

function fileEntry(path: string, { bytes, modifiedAt }: ListedObject): FileEntry {
  return { path: path as VirtualPath, type: 'file', bytes, modifiedAt }
}

/** As keys have it, so that it compares as they do: a folder comes before what lies in it. */
function positionOf({ path, type }: ListPosition): string {
  return type === 'folder' ? `${path}/` : path
}
