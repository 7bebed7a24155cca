/** The files of one run behind a POSIX-like system call interface. */
import { FileError } from '../file-error.ts'
import { unstoredRow, type TouchedFile } from './files-touched.ts'
import type { OpenFlags } from './handle-table.ts'
import { listNames, type NameEntry } from './names.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { FolderPath, VirtualPath } from '../path.ts'
import { renameFile } from './moves.ts'
import { RunState, type VirtualFilesOptions } from './run-state.ts'
import { storeRunChanges } from './store-changes.ts'
import type { Ending } from '../../lib/abort.ts'

/** For one run; finish once. Methods throw or reject with a {@link FileError}. */
export class VirtualFiles {
  readonly #options: VirtualFilesOptions
  #state: RunState | undefined
  #finished: Promise<TouchedFile[]> | undefined

  constructor(options: VirtualFilesOptions) {
    this.#options = options
  }

  get openHandles(): number {
    return this.#run.handles.count
  }

  /** Counted against the limit on resident bytes. */
  get residentBytes(): number {
    return this.#state?.budget.usedBytes ?? 0
  }

  /** Listing a folder scans all of these names. */
  get knownNames(): number {
    return this.#run.names.size
  }

  /** The write that stored a file, if all content is this run's own; links can be pinned to it. */
  ownWriteId(path: VirtualPath): string | undefined {
    return this.#run.names.get(path)?.node?.ownWriteId
  }

  /** False if touching all of these would exceed the limit and fail with ENOSPC. */
  canTouch(...paths: VirtualPath[]): boolean {
    return this.#run.touched.canTouch(...paths)
  }

  /** Returns a handle. If a limit is hit, nothing is created or truncated. */
  open(path: VirtualPath, flags: OpenFlags): MaybePromise<number> {
    this.#run.handles.assertRoom()
    // Replaces whatever is stored: no need to ask.
    const isReplaced = flags.write && flags.create && flags.truncate && !flags.exclusive
    const entry = isReplaced ? this.#run.tree.findKnown(path) : this.#run.tree.find(path)
    return andThen(entry, (found) => this.#openFound(path, found, flags))
  }

  close(handle: number): void {
    const { handles, queue } = this.#run
    const { node } = handles.get(handle)
    handles.close(handle)
    queue.add(node)
  }

  /** Uploads closed files. Call when the script is idle; waits for the store do so themselves. */
  storeClosed(): void {
    this.#run.queue.start()
  }

  /** The current path of an open file; `null` once removed. */
  pathOf(handle: number): VirtualPath | null {
    return this.#run.handles.get(handle).node.path
  }

  /** From the handle's position to the end. */
  unreadBytes(handle: number): number {
    const { node, position } = this.#run.handles.get(handle)
    return Math.max(0, node.size - position)
  }

  /** Must precede {@link read}; `undefined` if there is nothing to wait for. */
  prepareRead(handle: number): undefined | Promise<void> {
    const { node, position } = this.#run.handles.get(handle, 'read')
    return this.#run.loadAt(node, position)
  }

  /** Reads at the handle's position; 0 at the end. */
  read(handle: number, into: Uint8Array): number {
    const opened = this.#run.handles.get(handle, 'read')
    const length = opened.node.read(opened.position, into)
    opened.position += length
    return length
  }

  /** Must precede {@link write}; `undefined` if there is nothing to wait for. */
  prepareWrite(handle: number): undefined | Promise<void> {
    const { node, flags } = this.#run.handles.get(handle, 'write')
    return flags.append ? undefined : this.#run.load(node)
  }

  /** All or nothing, at the handle's position or, in append mode, at the end. */
  write(handle: number, bytes: Uint8Array): number {
    const opened = this.#run.handles.get(handle, 'write')
    if (bytes.length === 0) return 0
    const { node, flags } = opened
    if (node.path && !this.#run.touched.canTouch(node.path)) throw new FileError('ENOSPC')
    if (flags.append) opened.position = node.append(bytes)
    else opened.position = node.write(opened.position, bytes)
    if (node.path) this.#run.touched.touch(node.path)
    return bytes.length
  }

  /** Takes ownership of the chunks without copying; all but the last must be full. */
  create(path: VirtualPath, chunks: readonly Uint8Array[]): void {
    const handle = this.open(path, { write: true, create: true, truncate: true }) as number
    try {
      this.#run.handles.get(handle, 'write').node.fill(chunks)
      this.#run.touched.touch(path)
    } finally {
      this.close(handle)
    }
  }

  /** Includes memory that unloading idle files would free. */
  get freeBytes(): number {
    let bytes = this.#run.budget.freeBytes
    for (const node of this.#run.tree.idleNodes()) bytes += node.size - node.missingBytes
    return bytes
  }

  /** Returns the new position, which may be beyond the end. */
  seek(handle: number, offset: number, from: 'set' | 'current' | 'end'): number {
    const opened = this.#run.handles.get(handle)
    const start = { set: 0, current: opened.position, end: opened.node.size }[from]
    const position = start + offset
    if (!Number.isSafeInteger(position) || position < 0) throw new FileError('EINVAL')
    opened.position = position
    return position
  }

  /** Open handles keep the content, which is never stored. */
  remove(path: VirtualPath): MaybePromise<void> {
    return andThen(this.#run.tree.find(path), ({ node }) => {
      if (!node) throw new FileError('ENOENT')
      this.#run.touched.touch(path)
      this.#run.queue.withdraw(node)
      this.#run.tree.unlink(path)
    })
  }

  /** Replaces any file at the target; open handles follow the content. */
  rename(from: VirtualPath, to: VirtualPath): MaybePromise<void> {
    return renameFile(this.#run, from, to)
  }

  /** One request for a file the run does not know yet. */
  async typeOf(path: VirtualPath): Promise<'file' | 'folder' | null> {
    try {
      return (await this.#run.tree.find(path)).node ? 'file' : null
    } catch (error) {
      if (error instanceof FileError && error.code === 'EISDIR') return 'folder'
      if (error instanceof FileError && error.code === 'ENOTDIR') return null
      throw error
    }
  }

  /** Names as returned by {@link listNames}. */
  list(folder: FolderPath): Promise<string[]> {
    return listNames(this.#run.store, this.#run.names, folder)
  }

  /**
   * Closes all handles and stores the changes, once: further calls return the same rows.
   *
   * @param ending Aborts storing; the rows of files not stored by then say so, after a last check
   * on unanswered puts.
   */
  finish(ending?: Ending): Promise<TouchedFile[]> {
    const touched = this.#closeAll()
    if (touched.length === 0) return Promise.resolve([])
    const { uploadsEnding } = this.#run
    const signal = ending?.signal
    if (signal?.aborted) uploadsEnding.abort(signal.reason)
    signal?.addEventListener('abort', () => uploadsEnding.abort(signal.reason))
    return (this.#finished ??= storeRunChanges(this.#run, touched))
  }

  /** Ends a run whose changes are unwanted: closes all handles and stores nothing more. */
  discard(): TouchedFile[] {
    return this.#closeAll().map((path) => unstoredRow(path, this.#run.names.get(path)?.node))
  }

  /** Closes all handles; files open for writing are incomplete, so they are not stored. */
  abandonOpen(): void {
    for (const node of this.#state?.handles.written() ?? []) node.isAbandoned = true
    this.#state?.handles.closeAll()
  }

  /**
   * Frees the memory of all files once finished. Leaves it to garbage collection if storing was
   * aborted, as the store may still be reading.
   *
   * @returns whether it did.
   */
  release(): boolean {
    if (this.#state?.uploadsEnding.signal.aborted) return false
    for (const [, node] of this.#state?.names.files() ?? []) node.content.release()
    return true
  }

  /** Lazy: saves scripts without files about 20 microseconds. */
  get #run(): RunState {
    return (this.#state ??= new RunState(this.#options))
  }

  #openFound(path: VirtualPath, found: NameEntry | undefined, flags: OpenFlags): number {
    this.#run.handles.assertRoom()
    const node = found?.node
    if (node && flags.create && flags.exclusive) throw new FileError('EEXIST')
    if (!node && !flags.create) throw new FileError('ENOENT')

    if (!node || (flags.write && (flags.truncate || flags.append))) this.#run.touched.touch(path)
    if (node && flags.write && flags.truncate) node.truncate()
    // Two runs may create one log concurrently: appending keeps both parts, unless this run removed
    // it.
    const isNew = found?.mayBeStored === false || this.#run.moved.has(path)
    const isAppend = flags.append && isNew
    const created = node ?? this.#run.tree.create(path, isAppend ? 'append' : 'write')
    if (flags.write) this.#run.queue.withdraw(created)
    return this.#run.handles.open(created, flags)
  }

  #closeAll(): VirtualPath[] {
    this.#state?.handles.closeAll()
    return this.#state?.touched.sorted() ?? []
  }
}
