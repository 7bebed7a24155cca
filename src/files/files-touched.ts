/** Which files a run touched, and how that is reported. */
import { compareUtf8 } from '../storage/key-order.ts'
import { FileError } from './file-error.ts'
import type { FileNode } from './file-node.ts'
import type { VirtualPath } from './path.ts'

/** One row of the final state. */
export interface TouchedFile {
  readonly name: VirtualPath
  readonly op: 'append' | 'write' | 'remove'
  /** The size of the whole object, 0 for `remove`. */
  readonly bytes: number
  /** Only there when the store does not hold this state. */
  readonly stored?: false
  /** Only with `stored`: the store was there, but somebody else had changed the file. */
  readonly isConflict?: true
  /** Only with `stored`: the store was told to take this state and gave no answer. */
  readonly isUnclear?: true
}

/** The names that will have a row. Once touched stays touched, whatever happens to the file. */
export class FilesTouched {
  readonly #max: number
  readonly #paths = new Set<VirtualPath>()

  constructor(max: number) {
    this.#max = max
  }

  /** False when so many new ones, together, would exceed the limit. */
  canTouch(...paths: VirtualPath[]): boolean {
    const added = new Set(paths.filter((path) => !this.#paths.has(path)))
    return this.#paths.size + added.size <= this.#max
  }

  /** @throws {FileError} ENOSPC at the limit, having touched none of them. */
  touch(...paths: VirtualPath[]): void {
    if (!this.canTouch(...paths)) throw new FileError('ENOSPC')
    for (const path of paths) this.#paths.add(path)
  }

  /** In the order in which they are reported. */
  sorted(): VirtualPath[] {
    return [...this.#paths].sort(compareUtf8)
  }
}

/** What became of a name that was to be removed. */
export type RemovalFate = 'gone' | 'changed'

/** The row of a file as the store holds it now, or would have to. */
export function rowOf(name: VirtualPath, node: FileNode): TouchedFile {
  return {
    name,
    op: node.op,
    bytes: node.objectBytes,
    ...(node.isChanged && { stored: false as const }),
    ...(node.fault === 'conflict' && { isConflict: true as const }),
    ...(node.fault === 'unclear' && { isUnclear: true as const }),
  }
}

/** The row of what a run that is not to be stored would have done. */
export function unstoredRow(name: VirtualPath, node: FileNode | null | undefined): TouchedFile {
  if (!node) return removalRow(name, undefined)
  return { name, op: node.op, bytes: node.size, stored: false }
}

/** @param fate `undefined` when the store failed. */
export function removalRow(name: VirtualPath, fate: RemovalFate | undefined): TouchedFile {
  return {
    name,
    op: 'remove',
    bytes: 0,
    ...(fate !== 'gone' && { stored: false as const }),
    ...(fate === 'changed' && { isConflict: true as const }),
  }
}
