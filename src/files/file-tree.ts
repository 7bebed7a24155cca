/** Finds, creates, removes and moves names: from what the run knows, or else by asking the store. */
import type { AreaStore } from './area-store.ts'
import type { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'
import { FileNode } from './file-node.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { NameEntry, NameTable } from './name-table.ts'
import type { VirtualPath } from './path.ts'
import type { FileChange } from './revision.ts'

/** A script may look for any number of names; beyond so many, those that are missing are asked for again. */
const MAX_REMEMBERED_NAMES = 10_000
const MISSING: NameEntry = { node: null, mayBeStored: false }

/** Changes names only: what may be touched is decided before. */
export class FileTree {
  readonly #names: NameTable
  readonly #store: AreaStore
  readonly #budget: FileBudget

  constructor(names: NameTable, store: AreaStore, budget: FileBudget) {
    this.#names = names
    this.#store = store
    this.#budget = budget
  }

  /** Without asking the store; `undefined` for a name the run never met. Throws ENOTDIR and EISDIR. */
  findKnown(path: VirtualPath): NameEntry | undefined {
    if (this.#names.isBelowFile(path)) throw new FileError('ENOTDIR')
    if (this.#names.isFolder(path)) throw new FileError('EISDIR')
    return this.#names.get(path)
  }

  /** Throws as {@link findKnown}, and EIO. A name without a file is an entry without a node. */
  find(path: VirtualPath): MaybePromise<NameEntry> {
    return this.findKnown(path) ?? this.#ask(path)
  }

  /** An empty file of a free name. */
  create(path: VirtualPath, change: FileChange): FileNode {
    const node = new FileNode(path, this.#budget, null, change)
    this.#names.set(path, node)
    return node
  }

  /** Leaves the content to the handles that are open on it. */
  unlink(path: VirtualPath): void {
    const node = this.#names.get(path)?.node
    this.#names.set(path, null)
    if (!node) return
    node.path = null
    if (node.handles === 0) node.truncate()
  }

  /** Gives a loaded file another name and replaces the file that had it. */
  move(node: FileNode, from: VirtualPath, to: VirtualPath): void {
    if (this.#names.get(to)) this.unlink(to)
    this.#names.set(from, null)
    this.#names.set(to, node)
    node.path = to
    node.forgetBase()
  }

  /** Content that may be unloaded, longest known first. */
  *idleNodes(): Generator<FileNode> {
    for (const [, node] of this.#names.files()) if (node.isIdle) yield node
  }

  async #ask(path: VirtualPath): Promise<NameEntry> {
    const object = await this.#store.head(path)
    const isFolder = !object && (await this.#store.holdsAny(path, this.#names.gone))
    if (isFolder) throw new FileError('EISDIR')
    // What the run did while the answer was on its way is newer than the answer.
    if (!this.#names.get(path)) {
      if (!object && this.#names.size >= MAX_REMEMBERED_NAMES) return MISSING
      const node = object && new FileNode(path, this.#budget, { ...object, path }, 'none')
      this.#names.set(path, node, object !== null)
    }
    return this.find(path)
  }
}
