/** The names of one run's files: found, created, removed, moved and listed. */
import { FileNode } from '../content/file-node.ts'
import { foldersAbove, type FolderPath, type VirtualPath } from '../path.ts'
import type { AreaStore } from '../store/area-store.ts'
import type { FileBudget } from '../content/file-budget.ts'
import { FileError } from '../file-error.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { ChangeKind } from '../content/revision.ts'
import { compareUtf8 } from '../../storage/key-order.ts'

/** Names the run never used have no entry. */
export interface NameEntry {
  /** `null` if there is no file of this name, or no longer. */
  readonly node: FileNode | null
  /** False only if the store reported no such object and none was stored since. */
  readonly mayBeStored: boolean
}

/** Covers only names the run has used; the store may have others. */
export class NameTable {
  readonly #entries = new Map<VirtualPath, NameEntry>()
  readonly #filesBelow = new Map<VirtualPath, number>()
  readonly #gone = new Set<VirtualPath>()
  readonly #alwaysFolder: VirtualPath | undefined

  /** @param alwaysFolder A folder even while empty. */
  constructor(alwaysFolder?: VirtualPath) {
    this.#alwaysFolder = alwaysFolder
  }

  get size(): number {
    return this.#entries.size
  }

  get(path: FolderPath): NameEntry | undefined {
    return path === '' ? undefined : this.#entries.get(path)
  }

  /** `null` marks the name as missing or removed. */
  set(
    path: VirtualPath,
    node: FileNode | null,
    mayBeStored = this.get(path)?.mayBeStored ?? true,
  ): void {
    const change = Number(node !== null) - Number(Boolean(this.get(path)?.node))
    for (const folder of change === 0 ? [] : foldersAbove(path)) {
      this.#filesBelow.set(folder, (this.#filesBelow.get(folder) ?? 0) + change)
    }
    this.#entries.set(path, { node, mayBeStored })
    if (!node && mayBeStored) this.#gone.add(path)
    else this.#gone.delete(path)
  }

  /** From now on the store may hold it. */
  expectStored(path: VirtualPath): void {
    this.set(path, this.get(path)?.node ?? null, true)
  }

  /** A known file is below it; the store may have others. */
  isFolder(path: FolderPath): boolean {
    return path === '' || path === this.#alwaysFolder || (this.#filesBelow.get(path) ?? 0) > 0
  }

  /** An ancestor of the path is a known file. */
  isBelowFile(path: FolderPath): boolean {
    return foldersAbove(path).some((folder) => Boolean(this.get(folder)?.node))
  }

  *files(): Generator<[VirtualPath, FileNode]> {
    for (const [path, { node }] of this.#entries) if (node) yield [path, node]
  }

  /** Removed by this run, but possibly still listed by the store. */
  get gone(): ReadonlySet<VirtualPath> {
    return this.#gone
  }
}

/** Beyond this many names, missing ones are not cached: scripts may probe any number of names. */
const MAX_REMEMBERED_NAMES = 10_000
const MISSING: NameEntry = { node: null, mayBeStored: false }

/**
 * Asks the store for names that the run does not know. Changes names only; callers check the limit
 * on touched files.
 */
export class FileTree {
  readonly #names: NameTable
  readonly #store: AreaStore
  readonly #budget: FileBudget

  constructor(names: NameTable, store: AreaStore, budget: FileBudget) {
    this.#names = names
    this.#store = store
    this.#budget = budget
  }

  /** Does not ask the store; `undefined` for an unknown name. Throws ENOTDIR and EISDIR. */
  findKnown(path: VirtualPath): NameEntry | undefined {
    if (this.#names.isBelowFile(path)) throw new FileError('ENOTDIR')
    if (this.#names.isFolder(path)) throw new FileError('EISDIR')
    return this.#names.get(path)
  }

  /** Throws like {@link findKnown}, and EIO. A missing file gives an entry without a node. */
  find(path: VirtualPath): MaybePromise<NameEntry> {
    return this.findKnown(path) ?? this.#ask(path)
  }

  /** Creates an empty file; the name must be free. */
  create(path: VirtualPath, change: ChangeKind): FileNode {
    const node = new FileNode(path, this.#budget, null, change)
    this.#names.set(path, node)
    return node
  }

  /** Open handles keep the content. */
  unlink(path: VirtualPath): void {
    const node = this.#names.get(path)?.node
    this.#names.set(path, null)
    if (!node) return
    node.path = null
    if (node.handles === 0) node.truncate()
  }

  /** Renames a loaded file, replacing any file at the target. */
  move(node: FileNode, from: VirtualPath, to: VirtualPath): void {
    if (this.#names.get(to)) this.unlink(to)
    this.#names.set(from, null)
    this.#names.set(to, node)
    node.path = to
    node.forgetBase()
  }

  /** Files that may be unloaded, oldest entry first. */
  *idleNodes(): Generator<FileNode> {
    for (const [, node] of this.#names.files()) if (node.isIdle) yield node
  }

  async #ask(path: VirtualPath): Promise<NameEntry> {
    const object = await this.#store.head(path)
    const isFolder = !object && (await this.#store.holdsAny(path, this.#names.gone))
    if (isFolder) throw new FileError('EISDIR')
    // Changes the run made while waiting are newer than the response.
    if (!this.#names.get(path)) {
      if (!object && this.#names.size >= MAX_REMEMBERED_NAMES) return MISSING
      const node = object && new FileNode(path, this.#budget, { ...object, path }, 'none')
      this.#names.set(path, node, object !== null)
    }
    return this.find(path)
  }
}

/** Per folder. Entries use host memory, which the VM's limits do not cover. */
export const MAX_LISTED_ENTRIES = 100_000

/**
 * A folder as the script sees it: the stored files plus this run's changes.
 *
 * Names directly in a folder, in UTF-8 byte order, folders without a trailing slash.
 *
 * @throws {FileError} ENOENT if missing, ENOTDIR for a file, EFBIG for too many names, EIO.
 */
export async function listNames(
  store: AreaStore,
  names: NameTable,
  folder: FolderPath,
): Promise<string[]> {
  if (names.get(folder)?.node || names.isBelowFile(folder)) throw new FileError('ENOTDIR')

  const found = new Set<string>()
  let entries = 0
  for await (const { path } of store.list(folder, { except: names.gone, withMarker: true })) {
    if (++entries > MAX_LISTED_ENTRIES) throw new FileError('EFBIG')
    found.add(nameIn(folder, path))
  }
  const base = folder === '' ? '' : `${folder}/`
  for (const [path] of names.files()) if (path.startsWith(base)) found.add(nameIn(folder, path))

  if (found.size === 0) await assertExists(store, names, folder)
  // Found for the folder's own marker.
  found.delete('')
  return [...found].sort(compareUtf8)
}

/**
 * Paths of all files below a folder, in UTF-8 byte order. A file is its own only path.
 *
 * @throws {FileError} as {@link listNames}, but not for a file.
 */
export async function listPaths(
  store: AreaStore,
  names: NameTable,
  folder: FolderPath,
): Promise<VirtualPath[]> {
  const known = names.get(folder)
  if (folder !== '' && known?.node) return [folder]
  if (names.isBelowFile(folder)) throw new FileError('ENOTDIR')

  const found = new Set<VirtualPath>()
  const listing = { recursive: true, except: names.gone }
  for await (const { path, type } of store.list(folder, listing)) {
    if (type === 'file') found.add(path)
    if (found.size > MAX_LISTED_ENTRIES) throw new FileError('EFBIG')
  }
  const base = folder === '' ? '' : `${folder}/`
  for (const [path] of names.files()) if (path.startsWith(base)) found.add(path)

  if (found.size === 0 && folder !== '' && !known && (await store.head(folder)) !== null) {
    return [folder]
  }
  if (found.size === 0 && !(await store.holdsAny(folder, names.gone))) {
    await assertExists(store, names, folder)
  }
  return [...found].sort(compareUtf8)
}

async function assertExists(store: AreaStore, names: NameTable, folder: FolderPath): Promise<void> {
  if (names.isFolder(folder)) return
  const isFile =
    folder !== '' && names.get(folder) === undefined && (await store.head(folder)) !== null
  throw new FileError(isFile ? 'ENOTDIR' : 'ENOENT')
}

/** The first segment below the folder; empty for the folder itself. */
function nameIn(folder: FolderPath, path: string): string {
  return path.slice(folder === '' ? 0 : folder.length + 1).split('/', 1)[0]!
}
