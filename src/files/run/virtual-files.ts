/** The files of one run behind a POSIX-like system call interface. */
import { FileError } from '../file-error.ts'
import { unstoredRow, type TouchedFile } from './files-touched.ts'
import type { OpenFlags } from './handle-table.ts'
import { listNames, listPaths, type NameEntry } from './names.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { FolderPath, VirtualPath } from '../path.ts'
import { renameFile } from './moves.ts'
import { RunState, type VirtualFilesOptions } from './run-state.ts'
import { SaveStream } from './save-stream.ts'
import { storeRunChanges } from './store-changes.ts'
import type { RequestBudget } from '../request-budget.ts'
import type { Ending } from '../../lib/abort.ts'

/** For one run; finish once. Methods throw or reject with a {@link FileError}. */
export class VirtualFiles {
  readonly #options: VirtualFilesOptions
  #state: RunState | undefined
  #finished: Promise<TouchedFile[]> | undefined
  #heldBytes = 0

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

  /** Why files of the run could not be stored. */
  get quotaRefusal(): string | undefined {
    return this.#state?.meter?.refusal
  }

  /** Whether further files would not fit either. */
  get isStoreFull(): boolean {
    return this.#state?.meter?.isFull ?? false
  }

  /** What checking {@link requests} walks through. */
  get touchedFiles(): number {
    return this.#run.touched.count
  }

  /** Requests of the run to the store and to APIs. */
  get requests(): RequestBudget {
    return this.#run.requests
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
    // Nothing of it can be read before it is stored.
    if (node.stream) queue.start()
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
    if (node.stream) opened.position = node.stream.write(opened.position, bytes)
    else if (flags.append) opened.position = node.append(bytes)
    else {
      opened.position = node.write(opened.position, bytes)
      if (node.size > this.#run.streams.startBytes) this.#run.streams.start(opened)
    }
    if (node.path) this.#run.touched.touch(node.path)
    return bytes.length
  }

  /**
   * Should precede writes of this many bytes: waits while large files leave memory. `undefined` if
   * there is nothing to wait for. Never rejects.
   */
  prepareWrites(bytes: number): undefined | Promise<void> {
    return this.#state?.streams.room(bytes)
  }

  /** Takes ownership of the chunks without copying; all but the last must be full. */
  create(path: VirtualPath, chunks: readonly Uint8Array[]): void {
    this.#run.create(path, chunks)
  }

  /** For content from outside the script, of any size. @throws {FileError} */
  openSave(path: VirtualPath): SaveStream {
    return new SaveStream(this.#run, path)
  }

  /** Includes memory that unloading idle files would free. */
  get freeBytes(): number {
    return this.#run.freeBytes
  }

  /**
   * Takes memory for something else that the run holds, such as responses of APIs. It counts as
   * resident; waits for memory shared with other runs.
   *
   * @throws {FileError} EFBIG if it does not fit beside the files.
   */
  holdMemory(bytes: number): MaybePromise<void> {
    return andThen(this.#run.budget.takeLater(bytes), () => {
      this.#heldBytes += bytes
    })
  }

  /** Gives back all of {@link holdMemory}. */
  releaseMemory(): void {
    if (this.#heldBytes > 0) this.#run.budget.discard(this.#heldBytes)
    this.#heldBytes = 0
  }

  /**
   * Returns the new position, which may be beyond the end.
   *
   * @throws {FileError} EFBIG to leave the end of a file that is uploaded while it is written.
   */
  seek(handle: number, offset: number, from: 'set' | 'current' | 'end'): number {
    const opened = this.#run.handles.get(handle)
    const start = { set: 0, current: opened.position, end: opened.node.size }[from]
    const position = start + offset
    if (!Number.isSafeInteger(position) || position < 0) throw new FileError('EINVAL')
    if (position !== opened.node.size) {
      if (opened.node.stream) throw new FileError('EFBIG')
      opened.hasSought = true
    }
    opened.position = position
    return position
  }

  /** Open handles keep the content, which is never stored. */
  remove(path: VirtualPath): MaybePromise<void> {
    return andThen(this.#run.tree.find(path), ({ node }) => {
      if (!node) throw new FileError('ENOENT')
      this.#run.touched.touch(path)
      this.#run.queue.withdraw(node)
      this.#run.streams.discard(node)
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

  /** All files below a folder, or the file itself; like {@link listPaths}. */
  listFiles(folder: FolderPath): Promise<VirtualPath[]> {
    return listPaths(this.#run.store, this.#run.names, folder)
  }

  /**
   * Closes all handles and stores the changes, once: further calls return the same rows.
   *
   * @param ending Aborts storing; the rows of files not stored by then say so, after a last check
   * on unanswered puts.
   */
  finish(ending?: Ending): Promise<TouchedFile[]> {
    if (!this.#state) return Promise.resolve([])
    const { uploadsEnding } = this.#state
    const signal = ending?.signal
    if (signal?.aborted) uploadsEnding.abort(signal.reason)
    signal?.addEventListener('abort', () => uploadsEnding.abort(signal.reason))
    return (this.#finished ??= this.#finish(this.#state))
  }

  async #finish(run: RunState): Promise<TouchedFile[]> {
    const touched = this.#closeAll()
    await run.saves.end()
    const rows = touched.length === 0 ? [] : await storeRunChanges(run, touched)
    await run.meter?.settle()
    return rows
  }

  /** Ends a run whose changes are unwanted: closes all handles and stores nothing more. */
  async discard(): Promise<TouchedFile[]> {
    const touched = this.#closeAll()
    const { names, streams, saves, meter } = this.#run
    for (const [, node] of names.files()) streams.discard(node)
    await Promise.all([saves.end(), streams.settle()])
    await meter?.settle()
    return touched.map((path) => unstoredRow(path, names.get(path)?.node))
  }

  /** Closes all handles; files open for writing are incomplete, so they are not stored. */
  abandonOpen(): void {
    for (const node of this.#state?.handles.written() ?? []) {
      node.isAbandoned = true
      this.#state?.streams.discard(node)
    }
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

  #openFound(
    path: VirtualPath,
    found: NameEntry | undefined,
    flags: OpenFlags,
  ): MaybePromise<number> {
    this.#run.handles.assertRoom()
    const node = found?.node
    if (node && flags.create && flags.exclusive) throw new FileError('EEXIST')
    if (!node && !flags.create) throw new FileError('ENOENT')
    if (node?.stream) {
      const isReplaced = flags.write && flags.truncate
      if (!isReplaced) return this.#run.streams.whenStored(node).then(() => this.open(path, flags))
      this.#run.streams.replace(node)
    }
    // Storing a change takes the whole file.
    const isChanged = flags.write && !flags.truncate
    if (node && isChanged && node.size > this.#run.budget.maxBytes) throw new FileError('EFBIG')

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
