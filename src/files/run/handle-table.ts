/** The open file handles of one run, numbered like POSIX file descriptors. */
import { FileError } from '../file-error.ts'
import type { FileNode } from '../content/file-node.ts'
import type { VirtualPath } from '../path.ts'

/** Same semantics as the flags of `open(2)`. */
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

/** Several handles may share a node. */
export interface OpenHandle {
  readonly node: FileNode
  readonly flags: OpenFlags
  position: number
  /** Away from the end, at least once. */
  hasSought: boolean
}

// 0, 1 and 2 are the script's standard streams.
const FIRST_HANDLE = 3

/** Also counts handles per file, so a removed file lives until its last handle closes. */
export class HandleTable {
  readonly #max: number
  readonly #handles = new Map<number, OpenHandle>()

  constructor(max: number) {
    this.#max = max
  }

  get count(): number {
    return this.#handles.size
  }

  /** @throws {FileError} EMFILE if {@link open} would find no free handle. */
  assertRoom(): void {
    if (this.#handles.size >= this.#max) throw new FileError('EMFILE')
  }

  /** Returns the lowest free number. */
  open(node: FileNode, flags: OpenFlags): number {
    this.assertRoom()
    let number = FIRST_HANDLE
    while (this.#handles.has(number)) number++
    this.#handles.set(number, { node, flags, position: 0, hasSought: false })
    node.handles++
    return number
  }

  /** @throws {FileError} EBADF if it is not open, or not open for `access`. */
  get(number: number, access?: 'read' | 'write'): OpenHandle {
    const handle = this.#handles.get(number)
    if (!handle || (access && !handle.flags[access])) throw new FileError('EBADF')
    return handle
  }

  /** Also frees the content of a removed file when its last handle closes. */
  close(number: number): void {
    const { node } = this.get(number)
    this.#handles.delete(number)
    if (--node.handles > 0) return
    if (node.path === null) node.truncate()
    else node.content.stopReading()
  }

  /** Whether any handle is open for writing. */
  isWriting(node: FileNode): boolean {
    if (node.handles === 0) return false
    return this.all().some((handle) => handle.node === node && handle.flags.write)
  }

  /** Whether a removed file is still open and its content is only in the store, under this name. */
  isReadFrom(path: VirtualPath | null): boolean {
    for (const { node } of this.#handles.values()) {
      if (node.path === null && node.missingBytes > 0 && node.origin?.path === path) return true
    }
    return false
  }

  all(): OpenHandle[] {
    return [...this.#handles.values()]
  }

  /** Files open for writing. */
  written(): FileNode[] {
    return this.all().flatMap(({ node, flags }) => (flags.write ? [node] : []))
  }

  closeAll(): void {
    for (const number of this.#handles.keys()) this.close(number)
  }
}
