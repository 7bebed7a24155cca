/** What one run knows about names: which are files, which are gone, which must be folders. */
import type { FileNode } from './file-node.ts'
import { foldersAbove } from './path.ts'
import type { FolderPath, VirtualPath } from './path.ts'

/** A name the run knows; names it never met have no entry. */
export interface NameEntry {
  /** `null` when there is no file of this name, or no longer. */
  readonly node: FileNode | null
  /** False only when the store said that it has no such object, and none was stored since. */
  readonly mayBeStored: boolean
}

/** Says nothing about names only the store knows. */
export class NameTable {
  readonly #entries = new Map<VirtualPath, NameEntry>()
  readonly #filesBelow = new Map<VirtualPath, number>()
  readonly #gone = new Set<VirtualPath>()
  readonly #alwaysFolder: VirtualPath | undefined

  /** @param alwaysFolder A folder even while nothing is in it. */
  constructor(alwaysFolder?: VirtualPath) {
    this.#alwaysFolder = alwaysFolder
  }

  get size(): number {
    return this.#entries.size
  }

  get(path: FolderPath): NameEntry | undefined {
    return path === '' ? undefined : this.#entries.get(path)
  }

  /** Gives the name to a file, or to none. */
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

  /** From now on the store may hold it, whatever it said before. */
  expectStored(path: VirtualPath): void {
    this.set(path, this.get(path)?.node ?? null, true)
  }

  /** A known file lies below it; the store may know of others. */
  isFolder(path: FolderPath): boolean {
    return path === '' || path === this.#alwaysFolder || (this.#filesBelow.get(path) ?? 0) > 0
  }

  /** One of the folders it would lie in is a known file. */
  isBelowFile(path: FolderPath): boolean {
    return foldersAbove(path).some((folder) => Boolean(this.get(folder)?.node))
  }

  *files(): Generator<[VirtualPath, FileNode]> {
    for (const [path, { node }] of this.#entries) if (node) yield [path, node]
  }

  /** Names the store may still list although this run removed them. */
  get gone(): ReadonlySet<VirtualPath> {
    return this.#gone
  }
}
