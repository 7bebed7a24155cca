/** The files of one run, as system calls see them: POSIX over an object store. */
import { FileError } from './file-error.ts'
import { unstoredRow, type TouchedFile } from './files-touched.ts'
import type { OpenFlags } from './handle-table.ts'
import { listFolder } from './list-folder.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { NameEntry } from './name-table.ts'
import type { FolderPath, VirtualPath } from './path.ts'
import { renameFile } from './rename-file.ts'
import { RunState, type VirtualFilesOptions } from './run-state.ts'
import { storeChanges } from './store-changes.ts'
import type { Ending } from '../lib/abort.ts'

/** Made for one run and finished once. What fails, throws or rejects with a {@link FileError}. */
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

  /** What the limit on resident bytes counts. */
  get residentBytes(): number {
    return this.#state?.budget.usedBytes ?? 0
  }

  /** How many names it keeps in mind: listing a folder looks at all of them. */
  get knownNames(): number {
    return this.#run.names.size
  }

  /** The write that stored a file, if all of its content is this run's own; links can be pinned to it. */
  ownWriteId(path: VirtualPath): string | undefined {
    return this.#run.names.get(path)?.node?.ownWriteId
  }

  /** False when the paths, together, would be too many touched files; touching them then gives ENOSPC. */
  canTouch(...paths: VirtualPath[]): boolean {
    return this.#run.touched.canTouch(...paths)
  }

  /** Gives a handle. At any limit nothing is created or truncated. */
  open(path: VirtualPath, flags: OpenFlags): MaybePromise<number> {
    this.#run.handles.assertRoom()
    // Whatever the store holds will be replaced, so there is nothing to ask.
    const isReplaced = flags.write && flags.create && flags.truncate && !flags.exclusive
    const entry = isReplaced ? this.#run.tree.findKnown(path) : this.#run.tree.find(path)
    return andThen(entry, (found) => this.#openFound(path, found, flags))
  }

  close(handle: number): void {
    const { handles } = this.#run
    const { node } = handles.get(handle)
    handles.close(handle)
    this.#run.queueClosed(node)
  }

  /** For moments when the script does not go on: closed files go to the store meanwhile. Waits for the store are such. */
  storeClosed(): void {
    this.#run.queue.start()
  }

  /** The path of an open file now; `null` once it is removed. */
  pathOf(handle: number): VirtualPath | null {
    return this.#run.handles.get(handle).node.path
  }

  /** From the handle's position to the end. */
  unreadBytes(handle: number): number {
    const { node, position } = this.#run.handles.get(handle)
    return Math.max(0, node.size - position)
  }

  /** Has to come before {@link read}; `undefined` when there is nothing to wait for. */
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

  /** Has to come before {@link write}; `undefined` when there is nothing to wait for. */
  prepareWrite(handle: number): undefined | Promise<void> {
    const { node, flags } = this.#run.handles.get(handle, 'write')
    return flags.append ? undefined : this.#run.load(node)
  }

  /** Writes all of it or nothing: at the handle's position, or at the end if it appends. */
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

  /** Makes a file of chunks that are all whole but the last, and now belong to it: nothing is copied. */
  create(path: VirtualPath, chunks: readonly Uint8Array[]): void {
    const handle = this.open(path, { write: true, create: true, truncate: true }) as number
    try {
      this.#run.handles.get(handle, 'write').node.fill(chunks)
      this.#run.touched.touch(path)
    } finally {
      this.close(handle)
    }
  }

  /** How much more files could hold, with everything unloaded that the store could give again. */
  get freeBytes(): number {
    let bytes = this.#run.budget.freeBytes
    for (const node of this.#run.tree.idleNodes()) bytes += node.size - node.missingBytes
    return bytes
  }

  /** Gives the new position, which may lie beyond the end. */
  seek(handle: number, offset: number, from: 'set' | 'current' | 'end'): number {
    const opened = this.#run.handles.get(handle)
    const start = { set: 0, current: opened.position, end: opened.node.size }[from]
    const position = start + offset
    if (!Number.isSafeInteger(position) || position < 0) throw new FileError('EINVAL')
    opened.position = position
    return position
  }

  /** Handles on the file keep working on its content, which is then stored nowhere. */
  remove(path: VirtualPath): MaybePromise<void> {
    return andThen(this.#run.tree.find(path), ({ node }) => {
      if (!node) throw new FileError('ENOENT')
      this.#run.touched.touch(path)
      this.#run.queue.withdraw(node)
      this.#run.tree.unlink(path)
    })
  }

  /** Replaces a file of the new name; open handles follow the content. */
  rename(from: VirtualPath, to: VirtualPath): MaybePromise<void> {
    return renameFile(this.#run, from, to)
  }

  /** What a name stands for, with one request if it is a file the run does not know yet. */
  async typeOf(path: VirtualPath): Promise<'file' | 'folder' | null> {
    try {
      return (await this.#run.tree.find(path)).node ? 'file' : null
    } catch (error) {
      if (error instanceof FileError && error.code === 'EISDIR') return 'folder'
      if (error instanceof FileError && error.code === 'ENOTDIR') return null
      throw error
    }
  }

  /** The names in one folder, as {@link listFolder} gives them. */
  list(folder: FolderPath): Promise<string[]> {
    return listFolder(this.#run.store, this.#run.names, folder)
  }

  /**
   * Closes every handle and stores what the run did, once: calling it again gives the same rows.
   *
   * @param ending Ends the storing; files not stored by then have rows that say so, after a last look at those
   * whose answer had not come.
   */
  finish(ending?: Ending): Promise<TouchedFile[]> {
    const touched = this.#closeAll()
    if (touched.length === 0) return Promise.resolve([])
    const { uploadsEnding } = this.#run
    const signal = ending?.signal
    if (signal?.aborted) uploadsEnding.abort(signal.reason)
    signal?.addEventListener('abort', () => uploadsEnding.abort(signal.reason))
    return (this.#finished ??= storeChanges(this.#run, touched))
  }

  /** The end of a run whose files are not wanted: closes every handle and stores nothing more. */
  discard(): TouchedFile[] {
    return this.#closeAll().map((path) => unstoredRow(path, this.#run.names.get(path)?.node))
  }

  /** Closes every handle; files that were open for writing are half written, so they are not stored any more. */
  abandonOpen(): void {
    for (const node of this.#state?.handles.written() ?? []) node.isAbandoned = true
    this.#state?.handles.closeAll()
  }

  /**
   * Gives the memory of all files back once they are finished. Not if storing was broken off, because a store may
   * still be reading them: then it is garbage some time later.
   *
   * @returns whether it did.
   */
  release(): boolean {
    if (this.#state?.uploadsEnding.signal.aborted) return false
    for (const [, node] of this.#state?.names.files() ?? []) node.content.release()
    return true
  }

  /** Made when something is first asked of them: a script without files starts some 20 microseconds sooner. */
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
    // Two runs may create one log at once: appending keeps both parts, where this run removed nothing before.
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
