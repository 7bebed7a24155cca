/** Which files a run touched, and how that is reported. */
import { compareUtf8 } from '../storage/key-order.ts'
import { FileError } from './file-error.ts'
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
