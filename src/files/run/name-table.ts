/** What a run knows about names: files, removed files and implied folders. */
import type { FileNode } from '../content/file-node.ts'
import { foldersAbove } from '../path.ts'
import type { FolderPath, VirtualPath } from '../path.ts'

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
