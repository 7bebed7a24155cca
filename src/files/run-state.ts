/** What stands behind the files of one run. */
import type { StorageDriver } from '../storage/driver.ts'
import { AreaStore } from './area-store.ts'
import type { AreaKeys } from './area.ts'
import { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'
import type { FileNode, GetObject } from './file-node.ts'
import { FileTree } from './file-tree.ts'
import { FilesTouched, type TouchedFile } from './files-touched.ts'
import { FlushQueue } from './flush-queue.ts'
import { HandleTable } from './handle-table.ts'
import type { MemoryRoom } from './memory-room.ts'
import { MovedFiles } from './moved-files.ts'
import { NameTable } from './name-table.ts'
import type { VirtualPath } from './path.ts'
import { storeFile } from './store-file.ts'
import type { Ending } from '../lib/abort.ts'

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
  readonly keyFor: AreaKeys['keyFor']
  readonly limits: FileLimits
  /** What there is for all runs together; absent, it is as much as the limits allow. */
  readonly room?: MemoryRoom | undefined
  /** A folder of the root that is always there and lies elsewhere in the store. */
  readonly sharedDir?: VirtualPath | undefined
  /** Ends every wait of the script with EIO; storing at the end of the run takes its own. */
  readonly ending?: Ending | undefined
  /** Whether files are stored as they are closed; else nothing is before the run ends. */
  readonly storesOnClose?: boolean | undefined
  /** Told of each file that was stored before the end. */
  readonly onStored?: ((row: TouchedFile) => void) | undefined
  /** Told why the store failed: a script learns only that it did. */
  readonly onFailure?: ((error: unknown) => void) | undefined
}

/** How many files are stored or removed at once. */
export const MAX_REQUESTS = 6

/** The parts share what they know of the run's files. */
export class RunState {
  readonly names: NameTable
  readonly budget: FileBudget
  readonly tree: FileTree
  readonly handles: HandleTable
  readonly touched: FilesTouched
  readonly moved = new MovedFiles()
  readonly queue: FlushQueue
  /** For what the script waits for: it fails with EIO. */
  readonly store: AreaStore
  /** For what is stored. */
  readonly uploads: AreaStore
  /** Ends all uploads. */
  readonly uploadsEnding = new AbortController()
  readonly options: VirtualFilesOptions

  constructor(options: VirtualFilesOptions) {
    const { storage, keyFor, sharedDir, limits } = options
    const area = { keyFor, sharedDir }
    const { uploadsEnding } = this
    this.options = options
    this.uploads = new AreaStore({ storage, area, ending: uploadsEnding })
    this.store = new AreaStore({
      storage,
      area,
      ending: options.ending,
      onRequest: () => this.queue.start(),
      errorOf(cause) {
        options.onFailure?.(cause)
        return new FileError('EIO', { cause })
      },
    })
    this.names = new NameTable(sharedDir)
    const idle = () => this.tree.idleNodes()
    this.budget = new FileBudget(limits.maxResidentBytes, idle, options.room)
    this.tree = new FileTree(this.names, this.store, this.budget)
    this.handles = new HandleTable(limits.maxOpenHandles)
    this.touched = new FilesTouched(limits.maxFilesTouched)
    this.queue = new FlushQueue((node) => storeFile(this, node), {
      requests: MAX_REQUESTS,
      budget: this.budget,
      isBlocked: ({ path }) => this.moved.has(path),
      signal: () => uploadsEnding.signal,
    })
  }

  /** Makes every byte of a file resident; `undefined` when there is nothing to wait for. */
  load(node: FileNode): undefined | Promise<void> {
    return this.#whenStored(node, (get) => node.load(get))
  }

  /** Makes the byte at an offset readable; `undefined` when there is nothing to wait for. */
  loadAt(node: FileNode, at: number): undefined | Promise<void> {
    return this.#whenStored(node, (get) => node.loadAt(at, get))
  }

  /** Queues a file that nobody writes to any more, if files are stored as they are closed. */
  queueClosed(node: FileNode): void {
    const { storesOnClose = true } = this.options
    if (storesOnClose && node.path && !this.handles.isWriting(node)) this.queue.add(node)
  }

  /** What the store holds of a file is anybody's guess while an upload of it is under way. */
  #whenStored(
    node: FileNode,
    load: (get: GetObject) => undefined | Promise<void>,
  ): undefined | Promise<void> {
    if (node.missingBytes === 0) return undefined
    const get: GetObject = (path, range) => this.store.get(path, range)
    const upload = this.queue.underWay(node)
    return upload ? upload.then(() => load(get)) : load(get)
  }
}
