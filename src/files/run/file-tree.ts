/** Finds, creates, removes and moves names, asking the store for those the run does not know. */
import type { AreaStore } from '../store/area-store.ts'
import type { FileBudget } from '../content/file-budget.ts'
import { FileError } from '../file-error.ts'
import { FileNode } from '../content/file-node.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { NameEntry, NameTable } from './name-table.ts'
import type { VirtualPath } from '../path.ts'
import type { FileChange } from '../content/revision.ts'

/** Beyond this many names, missing ones are not cached: scripts may probe any number of names. */
const MAX_REMEMBERED_NAMES = 10_000
const MISSING: NameEntry = { node: null, mayBeStored: false }

/** Changes names only; callers check the limit on touched files. */
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
  create(path: VirtualPath, change: FileChange): FileNode {
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
