/** The files of one run, as system calls see them: POSIX over an object store. */
import { PreconditionFailed, type StorageDriver } from '../storage/driver.ts'
import { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'
import type { FileNode, GetObject } from './file-node.ts'
import { FileTree } from './file-tree.ts'
import { contentTypeOf } from './content-type.ts'
import { FilesTouched } from './files-touched.ts'
import type { TouchedFile } from './files-touched.ts'
import { FlushQueue } from './flush-queue.ts'
import { HandleTable } from './handle-table.ts'
import type { OpenFlags } from './handle-table.ts'
import { listFolder } from './list-folder.ts'
import { andThen } from '../lib/maybe-promise.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { MemoryRoom } from './memory-room.ts'
import { MovedFiles } from './moved-files.ts'
import { NameTable } from './name-table.ts'
import type { NameEntry } from './name-table.ts'
import type { FolderPath, VirtualPath } from './path.ts'
import { RunStore } from './run-store.ts'
import type { KeyFor } from './run-store.ts'
import { rowOf, storeChanges, unstoredRows } from './store-changes.ts'
import { MayBeStored, type StoreTarget } from './marked-upload.ts'
import { storeFile } from './store-file.ts'
import type { Ending } from '../lib/abort.ts'
import { withTombstones, type VersionedStorage } from './with-tombstones.ts'

/** What one run may use; the whole table of limits is the caller's. */
export interface FileLimits {
  readonly maxOpenHandles: number
  /** Bytes read and written together; also the largest file that can be written. */
  readonly maxResidentBytes: number
  readonly maxFilesTouched: number
}

/** What a run's files stand on; tenants and areas are known to `keyFor` alone. */
export interface VirtualFilesOptions {
  readonly storage: StorageDriver
  readonly keyFor: KeyFor
  readonly limits: FileLimits
  /** What there is for all runs together; absent, it is as much as the limits allow. */
  readonly room?: MemoryRoom | undefined
  /** A folder of the root that is always there and lies elsewhere in the store. */
  readonly sharedDir?: VirtualPath | undefined
  /** Ends every wait of the script with EIO; {@link VirtualFiles.finish} takes its own. */
  readonly ending?: Ending | undefined
  /** Whether files are stored as they are closed; else nothing is before {@link VirtualFiles.finish}. */
  readonly storesOnClose?: boolean | undefined
  /** Told of each file that was stored before the end. */
  readonly onStored?: ((row: TouchedFile) => void) | undefined
  /** Told why the store failed: a script learns only that it did. */
  readonly onFailure?: ((error: unknown) => void) | undefined
}

const MAX_REQUESTS = 6

/** What stands behind the calls of one run. */
interface Workings {
  readonly names: NameTable
  readonly store: RunStore
  readonly handles: HandleTable
  readonly touched: FilesTouched
  readonly budget: FileBudget
  readonly tree: FileTree
  readonly moved: MovedFiles
  readonly queue: FlushQueue
}

/** Made for one run and finished once. What fails, throws or rejects with a {@link FileError}. */
export class VirtualFiles {
  readonly #options: VirtualFilesOptions
  readonly #storesOnClose: boolean
  #workingsInUse: Workings | undefined
  #storingInUse: AbortController | undefined
  #finished: Promise<TouchedFile[]> | undefined

  constructor(options: VirtualFilesOptions) {
    this.#options = options
    this.#storesOnClose = options.storesOnClose ?? true
  }

  get openHandles(): number {
    return this.#handles.count
  }

  /** What the limit on resident bytes counts. */
  get residentBytes(): number {
    return this.#workingsInUse?.budget.usedBytes ?? 0
  }

  /** How many names it keeps in mind: listing a folder looks at all of them. */
  get knownNames(): number {
    return this.#names.size
  }

  /** The write that stored a file, if all of its content is this run's own; links can be pinned to it. */
  ownWriteId(path: VirtualPath): string | undefined {
    return this.#names.get(path)?.node?.ownWriteId
  }

  /** False when the paths, together, would be too many touched files; touching them then gives ENOSPC. */
  canTouch(...paths: VirtualPath[]): boolean {
    return this.#touched.canTouch(...paths)
  }

  /** Gives a handle. At any limit nothing is created or truncated. */
  open(path: VirtualPath, flags: OpenFlags): MaybePromise<number> {
    this.#handles.assertRoom()
    // Whatever the store holds will be replaced, so there is nothing to ask.
    const isReplaced = flags.write && flags.create && flags.truncate && !flags.exclusive
    const entry = isReplaced ? this.#tree.findKnown(path) : this.#tree.find(path)
    return andThen(entry, (found) => this.#openFound(path, found, flags))
  }

  close(handle: number): void {
    const { node } = this.#handles.get(handle)
    this.#handles.close(handle)
    if (this.#storesOnClose && node.path && !this.#handles.isWriting(node)) this.#queue.add(node)
  }

  /** For moments when the script does not go on: closed files go to the store meanwhile. Waits for the store are such. */
  storeClosed(): void {
    this.#queue.start()
  }

  /** The path of an open file now; `null` once it is removed. */
  pathOf(handle: number): VirtualPath | null {
    return this.#handles.get(handle).node.path
  }

  /** From the handle's position to the end. */
  unreadBytes(handle: number): number {
    const { node, position } = this.#handles.get(handle)
    return Math.max(0, node.size - position)
  }

  /** Has to come before {@link read}; `undefined` when there is nothing to wait for. */
  prepareRead(handle: number): undefined | Promise<void> {
    const { node, position } = this.#handles.get(handle, 'read')
    return this.#whenStored(node, (get) => node.loadAt(position, get))
  }

  /** Reads at the handle's position; 0 at the end. */
  read(handle: number, into: Uint8Array): number {
    const opened = this.#handles.get(handle, 'read')
    const length = opened.node.read(opened.position, into)
    opened.position += length
    return length
  }

  /** Has to come before {@link write}; `undefined` when there is nothing to wait for. */
  prepareWrite(handle: number): undefined | Promise<void> {
    const { node, flags } = this.#handles.get(handle, 'write')
    return flags.append ? undefined : this.#load(node)
  }

  /** Writes all of it or nothing: at the handle's position, or at the end if it appends. */
  write(handle: number, bytes: Uint8Array): number {
    const opened = this.#handles.get(handle, 'write')
    if (bytes.length === 0) return 0
    const { node, flags } = opened
    if (node.path && !this.#touched.canTouch(node.path)) throw new FileError('ENOSPC')
    if (flags.append) opened.position = node.append(bytes)
    else opened.position = node.write(opened.position, bytes)
    if (node.path) this.#touched.touch(node.path)
    return bytes.length
  }

  /** Makes a file of chunks that are all whole but the last, and now belong to it: nothing is copied. */
  create(path: VirtualPath, chunks: readonly Uint8Array[]): void {
    const handle = this.open(path, { write: true, create: true, truncate: true }) as number
    try {
      this.#handles.get(handle, 'write').node.fill(chunks)
      this.#touched.touch(path)
    } finally {
      this.close(handle)
    }
  }

  /** How much more files could hold, with everything unloaded that the store could give again. */
  get freeBytes(): number {
    let bytes = this.#budget.freeBytes
    for (const node of this.#tree.idleNodes()) bytes += node.size - node.missingBytes
    return bytes
  }

  /** Gives the new position, which may lie beyond the end. */
  seek(handle: number, offset: number, from: 'set' | 'current' | 'end'): number {
    const opened = this.#handles.get(handle)
    const start = { set: 0, current: opened.position, end: opened.node.size }[from]
    const position = start + offset
    if (!Number.isSafeInteger(position) || position < 0) throw new FileError('EINVAL')
    opened.position = position
    return position
  }

  /** Handles on the file keep working on its content, which is then stored nowhere. */
  remove(path: VirtualPath): MaybePromise<void> {
    return andThen(this.#tree.find(path), ({ node }) => {
      if (!node) throw new FileError('ENOENT')
      this.#touched.touch(path)
      this.#queue.withdraw(node)
      this.#tree.unlink(path)
    })
  }

  /** Replaces a file of the new name; open handles follow the content. */
  rename(from: VirtualPath, to: VirtualPath): MaybePromise<void> {
    return andThen(this.#tree.find(from), ({ node, mayBeStored }) => {
      if (!node) throw new FileError('ENOENT')
      if (from === to) return
      // Not under its old name, should the store have to be asked about the new one.
      this.#queue.withdraw(node)
      return andThen(this.#tree.find(to), () => {
        // From the start once it is loaded: by then the names may have changed.
        const loading = this.#queue.underWay(node) ?? this.#load(node)
        if (loading) return loading.then(() => this.rename(from, to))
        if (!node.base && mayBeStored && !this.#moved.has(from)) {
          return this.#noteReplaced(from, node).then(() => this.rename(from, to))
        }
        this.#touched.touch(from, to)
        const replaced = this.#names.get(to)?.node
        if (replaced) this.#queue.withdraw(replaced)
        this.#moved.add(from, node)
        this.#tree.move(node, from, to)
        this.#moved.takeBack(to, node)
        if (this.#storesOnClose && !this.#handles.isWriting(node)) this.#queue.add(node)
      })
    })
  }

  /** Folders are implied by the files in them; the root is always one. */
  isFolder(path: FolderPath): MaybePromise<boolean> {
    return this.#tree.isFolder(path)
  }

  /** What a name stands for, with one request if it is a file the run does not know yet. */
  async typeOf(path: VirtualPath): Promise<'file' | 'folder' | null> {
    try {
      return (await this.#tree.find(path)).node ? 'file' : null
    } catch (error) {
      if (error instanceof FileError && error.code === 'EISDIR') return 'folder'
      if (error instanceof FileError && error.code === 'ENOTDIR') return null
      throw error
    }
  }

  /** The names in one folder, as {@link listFolder} gives them. */
  list(folder: FolderPath): Promise<string[]> {
    return listFolder(this.#store, this.#names, folder, this.#options.sharedDir)
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
    const signal = ending?.signal
    if (signal?.aborted) this.#storing.abort(signal.reason)
    signal?.addEventListener('abort', () => this.#storing.abort(signal.reason))
    this.#finished ??= storeChanges({
      storage: this.#storage,
      targetOf: (path) => this.#targetOf(path),
      names: this.#names,
      moved: this.#moved,
      touched,
      queue: this.#queue,
      maxRequests: MAX_REQUESTS,
      signal: this.#storing.signal,
      onFailure: (error) => this.#options.onFailure?.(error),
    })
    return this.#finished
  }

  /** The end of a run whose files are not wanted: closes every handle and stores nothing more. */
  discard(): TouchedFile[] {
    return unstoredRows({ touched: this.#closeAll(), names: this.#names })
  }

  /** Closes every handle; files that were open for writing are half written, so they are not stored any more. */
  abandonOpen(): void {
    if (!this.#workingsInUse) return
    for (const node of this.#handles.written()) node.isAbandoned = true
    this.#handles.closeAll()
  }

  /**
   * Gives the memory of all files back once they are finished. Not if storing was broken off, because a store may
   * still be reading them: then it is garbage some time later.
   *
   * @returns whether it did.
   */
  release(): boolean {
    if (this.#storingInUse?.signal.aborted) return false
    for (const [, node] of this.#workingsInUse?.names.files() ?? []) node.release()
    return true
  }

  /** Made when something is first asked of them: a script without files starts some 20 microseconds sooner. */
  get #workings(): Workings {
    return (this.#workingsInUse ??= this.#makeWorkings())
  }

  #makeWorkings(): Workings {
    const { keyFor, limits, ending, sharedDir, onFailure, room } = this.#options
    const moved = new MovedFiles()
    const names = new NameTable(sharedDir)
    const store = new RunStore({
      storage: this.#storage,
      keyFor,
      ending,
      onWait: () => this.storeClosed(),
      onFailure: (error) => onFailure?.(error),
    })
    const budget = new FileBudget(limits.maxResidentBytes, () => this.#tree.idleNodes(), room)
    return {
      names,
      store,
      handles: new HandleTable(limits.maxOpenHandles),
      touched: new FilesTouched(limits.maxFilesTouched),
      budget,
      tree: new FileTree(names, store, budget),
      moved,
      queue: new FlushQueue((node) => this.#storeNode(node), {
        requests: MAX_REQUESTS,
        budget,
        isBlocked: ({ path }) => moved.has(path),
        signal: () => this.#storing.signal,
      }),
    }
  }

  get #storage(): VersionedStorage {
    return withTombstones(this.#options.storage)
  }

  get #names(): NameTable {
    return this.#workings.names
  }

  get #store(): RunStore {
    return this.#workings.store
  }

  get #handles(): HandleTable {
    return this.#workings.handles
  }

  get #touched(): FilesTouched {
    return this.#workings.touched
  }

  get #budget(): FileBudget {
    return this.#workings.budget
  }

  get #tree(): FileTree {
    return this.#workings.tree
  }

  get #moved(): MovedFiles {
    return this.#workings.moved
  }

  get #queue(): FlushQueue {
    return this.#workings.queue
  }

  /** Ends what is being stored. Made when the first file is: most runs leave none. */
  get #storing(): AbortController {
    return (this.#storingInUse ??= new AbortController())
  }

  #openFound(path: VirtualPath, found: NameEntry | undefined, flags: OpenFlags): number {
    this.#handles.assertRoom()
    const node = found?.node
    if (node && flags.create && flags.exclusive) throw new FileError('EEXIST')
    if (!node && !flags.create) throw new FileError('ENOENT')

    if (!node || (flags.write && (flags.truncate || flags.append))) this.#touched.touch(path)
    if (node && flags.write && flags.truncate) node.truncate()
    // Two runs may create one log at once: appending keeps both parts, where this run removed nothing before.
    const isNew = found?.mayBeStored === false || this.#moved.has(path)
    const isAppend = flags.append && isNew
    const created = node ?? this.#tree.create(path, isAppend ? 'append' : 'write')
    if (flags.write) this.#queue.withdraw(created)
    return this.#handles.open(created, flags)
  }

  /** What the store has now is to go, and not what others put there later. */
  async #noteReplaced(path: VirtualPath, node: FileNode): Promise<void> {
    const stored = await this.#store.head(path)
    if (stored) this.#moved.addReplaced(path, node, stored)
    else this.#names.set(path, node, false)
  }

  #load(node: FileNode): undefined | Promise<void> {
    return this.#whenStored(node, (get) => node.load(get))
  }

  /** What the store holds of a file is anybody's guess while an upload of it is under way. */
  #whenStored(
    node: FileNode,
    load: (get: GetObject) => undefined | Promise<void>,
  ): undefined | Promise<void> {
    if (node.missingBytes === 0) return undefined
    const get: GetObject = (key, range) => this.#store.get(key, range)
    const upload = this.#queue.underWay(node)
    return upload ? upload.then(() => load(get)) : load(get)
  }

  #closeAll(): VirtualPath[] {
    if (!this.#workingsInUse) return []
    this.#handles.closeAll()
    return this.#touched.sorted()
  }

  #targetOf(path: VirtualPath): StoreTarget {
    const { signal } = this.#storing
    const key = this.#store.keyOf(path)
    return { storage: this.#storage, key, contentType: contentTypeOf(path), signal }
  }

  async #storeNode(node: FileNode): Promise<void> {
    if (node.loading) await node.loading.catch(() => undefined)
    const { path } = node
    if (!path) return
    this.#names.expectStored(path)
    try {
      await storeFile(this.#targetOf(path), node)
    } catch (error) {
      node.isInConflict = error instanceof PreconditionFailed
      node.isUnclear = error instanceof MayBeStored
      this.#options.onFailure?.(error instanceof MayBeStored ? error.cause : error)
      throw error
    }
    if (!node.isChanged) this.#options.onStored?.(rowOf(path, node))
  }
}
