/** The names a run moved files away from, until what the store has under them is gone too. */
import type { FileNode } from './file-node.ts'
import type { VirtualPath } from './path.ts'
import type { FileBase } from './revision.ts'

/** What a file was moved from. */
export interface MovedFile {
  /** The file, which has another name by now, or none. */
  readonly node: FileNode
  /** The stored version it was made from. */
  readonly base: FileBase
  /** The file's own count of edits then; `null` when it had been edited and not stored. */
  readonly edits: number | null
  /** Whether all of it was the run's own even then. */
  readonly wasOwn: boolean
  /** The file was written over that version, and holds nothing of it. */
  readonly isReplaced: boolean
}

/** By old name. Nothing else may be stored under one before its file is stored under the new. */
export class MovedFiles {
  readonly #moved = new Map<VirtualPath, MovedFile>()

  /** Before the file forgets what it was made from. One that was never stored leaves nothing behind. */
  add(from: VirtualPath, node: FileNode): void {
    const { base } = node
    if (!base || this.#moved.has(from)) return
    const edits = node.isEdited ? null : node.edits
    this.#moved.set(from, { node, base, edits, wasOwn: node.isOwn, isReplaced: false })
  }

  /** For a file that is to replace what the store has under its old name, and was not stored there. */
  addReplaced(from: VirtualPath, node: FileNode, base: FileBase): void {
    this.#moved.set(from, { node, base, edits: null, wasOwn: true, isReplaced: true })
  }

  /** For a file that came back to the name it had: then nothing was moved from there. */
  takeBack(path: VirtualPath, node: FileNode): void {
    const moved = this.#moved.get(path)
    if (moved?.node !== node) return
    this.#moved.delete(path)
    if (!moved.isReplaced && !isDiscarded(moved)) node.restoreBase(moved.base, isIntact(moved))
  }

  get(path: VirtualPath): MovedFile | undefined {
    return this.#moved.get(path)
  }

  has(path: VirtualPath | null): boolean {
    return path !== null && this.#moved.has(path)
  }

  forget(path: VirtualPath): void {
    this.#moved.delete(path)
  }

  entries(): [VirtualPath, MovedFile][] {
    return [...this.#moved]
  }

  /** Whether files changed places, so that each has to wait for the other. */
  isCircular(path: VirtualPath): boolean {
    const seen = new Set<VirtualPath>()
    for (let at: VirtualPath | null = path; at !== null && !seen.has(at);) {
      seen.add(at)
      at = this.#moved.get(at)?.node.path ?? null
      if (at === path) return true
    }
    return false
  }
}

/** Whether the file still begins with what the store had. */
export function isIntact({ node, edits }: MovedFile): boolean {
  return node.edits === edits
}

/** Whether the file was removed or emptied after it was moved: then what it was moved from is not wanted either. */
export function isDiscarded({ node, wasOwn }: MovedFile): boolean {
  return node.path === null || (node.isOwn && !wasOwn)
}
