/** The names a run moved files away from, until the store's objects under them are gone. */
import type { FileNode } from '../content/file-node.ts'
import type { VirtualPath } from '../path.ts'
import type { FileBase } from '../content/revision.ts'

export interface MovedFile {
  /** The file, under its new name or removed. */
  readonly node: FileNode
  /** The stored version it was based on. */
  readonly base: FileBase
  /** Its edit count at the time of the move; `null` if it had unstored edits. */
  readonly edits: number | null
  /** How often it had been truncated by then. */
  readonly truncations: number
  /** Whether all content was the run's own at the time of the move. */
  readonly wasOwn: boolean
  /** The file overwrote that version and contains none of it. */
  readonly isReplaced: boolean
}

/** By old name, which must not be reused until its file is stored under the new one. */
export class MovedFiles {
  readonly #moved = new Map<VirtualPath, MovedFile>()

  /** Call before the file forgets its base. A file that was never stored leaves nothing behind. */
  add(from: VirtualPath, node: FileNode): void {
    const { base, truncations, isOwn: wasOwn } = node
    if (!base || this.#moved.has(from)) return
    const edits = node.isEdited ? null : node.edits
    this.#moved.set(from, { node, base, edits, truncations, wasOwn, isReplaced: false })
  }

  /** For a file that overwrote the stored object at its old name but was not stored there. */
  addReplaced(from: VirtualPath, node: FileNode, base: FileBase): void {
    const { truncations } = node
    this.#moved.set(from, { node, base, edits: null, truncations, wasOwn: true, isReplaced: true })
  }

  /** For a file renamed back to its old name: cancels the move. */
  takeBack(path: VirtualPath, node: FileNode): void {
    const moved = this.#moved.get(path)
    if (moved?.node !== node) return
    this.#moved.delete(path)
    if (!moved.isReplaced && !wasTruncated(moved)) node.restoreBase(moved.base, isIntact(moved))
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

  /** Whether files swapped names, so that each waits for the other. */
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

/** Whether the file still starts with the stored content. */
export function isIntact({ node, edits }: MovedFile): boolean {
  return node.edits === edits
}

/** Whether the file was removed or truncated after the move: its source is unwanted then, too. */
export function isDiscarded(moved: MovedFile): boolean {
  return moved.node.path === null || (wasTruncated(moved) && !moved.wasOwn)
}

/** Whether the file contains nothing of the stored version any more. */
function wasTruncated({ node, truncations }: MovedFile): boolean {
  return node.truncations !== truncations
}
