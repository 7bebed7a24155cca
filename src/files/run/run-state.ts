/** The shared state of the files of one run. */
import type { StorageDriver } from '../../storage/driver.ts'
import { AreaStore } from '../store/area-store.ts'
import type { AreaKeys } from '../store/area.ts'
import { FileBudget, type MemoryRoom } from '../content/file-budget.ts'
import { FileError } from '../file-error.ts'
import type { FileNode, GetObject } from '../content/file-node.ts'
import { FileTree, NameTable } from './names.ts'
import { FilesTouched, type TouchedFile } from './files-touched.ts'
import { FlushQueue } from './flush-queue.ts'
import { HandleTable } from './handle-table.ts'
import { MovedFiles } from './moves.ts'
import type { VirtualPath } from '../path.ts'
import { MAX_REQUESTS, storeFile } from './store-changes.ts'
import type { Ending } from '../../lib/abort.ts'

/** Limits of one run. */
export interface FileLimits {
  readonly maxOpenHandles: number
  /** For reads and writes together; also the largest file that can be written. */
  readonly maxResidentBytes: number
  readonly maxFilesTouched: number
}

/** Tenants and areas are known to `keyFor` alone. */
export interface VirtualFilesOptions {
  readonly storage: StorageDriver
  readonly keyFor: AreaKeys['keyFor']
  readonly limits: FileLimits
  /** Memory shared by all runs; unlimited by default. */
  readonly room?: MemoryRoom | undefined
  /** A folder of the root that always exists and is stored under another prefix. */
  readonly sharedDir?: VirtualPath | undefined
  /** Ends the script's waits with EIO; storing at the end of the run takes its own. */
  readonly ending?: Ending | undefined
  /** Whether files are stored when closed (the default) or only when the run ends. */
  readonly storesOnClose?: boolean | undefined
  /** Called for each stored file. */
  readonly onStored?: ((row: TouchedFile) => void) | undefined
  /** Receives the cause of store failures: scripts only see EIO. */
  readonly onFailure?: ((error: unknown) => void) | undefined
}

export class RunState {
  readonly names: NameTable
  readonly budget: FileBudget
  readonly tree: FileTree
  readonly handles: HandleTable
  readonly touched: FilesTouched
  readonly moved = new MovedFiles()
  readonly queue: FlushQueue
  /** For requests the script waits for: failures become EIO. */
  readonly store: AreaStore
  /** For uploads. */
  readonly uploads: AreaStore
  /** Aborts all uploads. */
  readonly uploadsEnding = new AbortController()
  readonly options: VirtualFilesOptions

  constructor(options: VirtualFilesOptions) {
    const { storage, keyFor, sharedDir, limits, storesOnClose = true } = options
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
      takes: (node) => storesOnClose && node.path !== null && !this.handles.isWriting(node),
      isBlocked: ({ path }) => this.moved.has(path) || this.handles.isReadFrom(path),
      signal: () => uploadsEnding.signal,
    })
  }

  /** Makes all bytes of a file resident; `undefined` if there is nothing to wait for. */
  load(node: FileNode): undefined | Promise<void> {
    return this.#whenStored(node, (get) => node.load(get))
  }

  /** Makes the byte at an offset readable; `undefined` if there is nothing to wait for. */
  loadAt(node: FileNode, at: number): undefined | Promise<void> {
    return this.#whenStored(node, (get) => node.loadAt(at, get))
  }

  /** The stored state is unknown while an upload of the file is running. */
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
