/** Tracks which files a run touched and builds the report rows. */
import { compareUtf8 } from '../../storage/key-order.ts'
import { FileError } from '../file-error.ts'
import type { FileNode } from '../content/file-node.ts'
import type { VirtualPath } from '../path.ts'

/** One row of the report. */
export interface TouchedFile {
  readonly name: VirtualPath
  readonly op: 'append' | 'write' | 'remove'
  /** Size of the whole object, 0 for `remove`. */
  readonly bytes: number
  /** Only present when the store does not hold this state. */
  readonly stored?: false
  /** Only with `stored`: a concurrent change to the file prevented storing it. */
  readonly isConflict?: true
  /** Only with `stored`: the store did not answer, so it may hold this state. */
  readonly isUnclear?: true
  /** Only with `stored`: there is no room left. */
  readonly isOverQuota?: true
}

/** The names to report. A touched name stays touched, whatever happens to the file. */
export class FilesTouched {
  readonly #max: number
  readonly #paths = new Set<VirtualPath>()

  constructor(max: number) {
    this.#max = max
  }

  /** False if adding all of them would exceed the limit. */
  canTouch(...paths: VirtualPath[]): boolean {
    const added = new Set(paths.filter((path) => !this.#paths.has(path)))
    return this.#paths.size + added.size <= this.#max
  }

  /** @throws {FileError} ENOSPC at the limit, having touched none of them. */
  touch(...paths: VirtualPath[]): void {
    if (!this.canTouch(...paths)) throw new FileError('ENOSPC')
    for (const path of paths) this.#paths.add(path)
  }

  get count(): number {
    return this.#paths.size
  }

  paths(): Iterable<VirtualPath> {
    return this.#paths
  }

  /** In report order. */
  sorted(): VirtualPath[] {
    return [...this.#paths].sort(compareUtf8)
  }
}

/** Outcome of a removal. */
export type RemovalFate = 'gone' | 'changed'

/** The row of a file after an attempt to store it. */
export function touchedRow(name: VirtualPath, node: FileNode): TouchedFile {
  return {
    name,
    op: node.op,
    bytes: node.objectBytes,
    ...(node.isChanged && { stored: false as const }),
    ...(node.fault === 'conflict' && { isConflict: true as const }),
    ...(node.fault === 'unclear' && { isUnclear: true as const }),
    ...(node.fault === 'quota' && { isOverQuota: true as const }),
  }
}

/** The row of a file in a run whose changes are discarded. */
export function unstoredRow(name: VirtualPath, node: FileNode | null | undefined): TouchedFile {
  if (!node) return removalRow(name, undefined)
  return { name, op: node.op, bytes: node.size, stored: false }
}

/** @param fate `undefined` if the store failed. */
export function removalRow(name: VirtualPath, fate: RemovalFate | undefined): TouchedFile {
  return {
    name,
    op: 'remove',
    bytes: 0,
    ...(fate !== 'gone' && { stored: false as const }),
    ...(fate === 'changed' && { isConflict: true as const }),
  }
}
