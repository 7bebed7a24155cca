/** The open handles of one run, numbered as POSIX numbers them. */
import { FileError } from './file-error.ts'
import type { FileNode } from './file-node.ts'

/** How a file is opened; each flag is what `open(2)` means by it. */
export interface OpenFlags {
  readonly read?: boolean
  readonly write?: boolean
  /** With `write`: every write goes to the end. */
  readonly append?: boolean
  readonly create?: boolean
  /** With `write`. */
  readonly truncate?: boolean
  /** With `create`: an existing file is an error. */
  readonly exclusive?: boolean
}

/** One way into a file; others may be open on the same node. */
export interface OpenHandle {
  readonly node: FileNode
  readonly flags: OpenFlags
  position: number
}

// 0, 1 and 2 are the script's standard streams.
const FIRST_HANDLE = 3

/** Counts handles on files too, so that a removed file lives as long as its last handle. */
export class HandleTable {
  readonly #max: number
  readonly #handles = new Map<number, OpenHandle>()

  constructor(max: number) {
    this.#max = max
  }

  get count(): number {
    return this.#handles.size
  }

  /** @throws {FileError} EMFILE when {@link open} would have no handle left. */
  assertRoom(): void {
    if (this.#handles.size >= this.#max) throw new FileError('EMFILE')
  }

  /** Gives the lowest free number. */
  open(node: FileNode, flags: OpenFlags): number {
    this.assertRoom()
    let number = FIRST_HANDLE
    while (this.#handles.has(number)) number++
    this.#handles.set(number, { node, flags, position: 0 })
    node.handles++
    return number
  }

  /** @throws {FileError} EBADF when it is not open, or not open for `access`. */
  get(number: number, access?: 'read' | 'write'): OpenHandle {
    const handle = this.#handles.get(number)
    if (!handle || (access && !handle.flags[access])) throw new FileError('EBADF')
    return handle
  }

  /** Frees the content too when the file is removed and nobody else has it open. */
  close(number: number): void {
    const { node } = this.get(number)
    this.#handles.delete(number)
    if (--node.handles > 0) return
    if (node.path === null) node.truncate()
    else node.content.stopReading()
  }

  /** Whether somebody may still write to the file. */
  isWriting(node: FileNode): boolean {
    if (node.handles === 0) return false
    return [...this.#handles.values()].some((handle) => handle.node === node && handle.flags.write)
  }

  /** Files that somebody may still write to. */
  written(): FileNode[] {
    return [...this.#handles.values()].flatMap(({ node, flags }) => (flags.write ? [node] : []))
  }

  closeAll(): void {
    for (const number of this.#handles.keys()) this.close(number)
  }
}
