/** What stands behind the files of one run. */
import type { StorageDriver } from '../storage/driver.ts'
import { AreaStore } from './area-store.ts'
import type { AreaKeys } from './area.ts'
import { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'
import type { FileNode } from './file-node.ts'
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
export interface RunState {
  readonly names: NameTable
  readonly handles: HandleTable
  readonly touched: FilesTouched
  readonly budget: FileBudget
  readonly tree: FileTree
  readonly moved: MovedFiles
  readonly queue: FlushQueue
  /** For what the script waits for: it fails with EIO. */
  readonly store: AreaStore
  /** For what is stored. */
  readonly uploads: AreaStore
  /** Ends all uploads. */
  readonly uploadsEnding: AbortController
  readonly onStored: (row: TouchedFile) => void
  readonly onFailure: (error: unknown) => void
  /** Queues a file that nobody writes to any more, if files are stored as they are closed. */
  queueClosed(node: FileNode): void
}

export function openRunState(options: VirtualFilesOptions): RunState {
  const { storage, keyFor, sharedDir, limits, storesOnClose = true } = options
  const { onStored = () => {}, onFailure = () => {} } = options
  const area = { keyFor, sharedDir }
  const uploadsEnding = new AbortController()
  const store = new AreaStore({
    storage,
    area,
    ending: options.ending,
    onRequest: () => run.queue.start(),
    errorOf(cause) {
      onFailure(cause)
      return new FileError('EIO', { cause })
    },
  })
  const names = new NameTable(sharedDir)
  const budget = new FileBudget(limits.maxResidentBytes, () => run.tree.idleNodes(), options.room)
  const run: RunState = {
    names,
    store,
    budget,
    uploadsEnding,
    uploads: new AreaStore({ storage, area, ending: uploadsEnding }),
    tree: new FileTree(names, store, budget),
    handles: new HandleTable(limits.maxOpenHandles),
    touched: new FilesTouched(limits.maxFilesTouched),
    moved: new MovedFiles(),
    queue: new FlushQueue((node) => storeFile(run, node), {
      requests: MAX_REQUESTS,
      budget,
      isBlocked: ({ path }) => run.moved.has(path),
      signal: () => uploadsEnding.signal,
    }),
    onStored,
    onFailure,
    queueClosed(node) {
      const isClosed = node.path !== null && !run.handles.isWriting(node)
      if (isClosed && storesOnClose) run.queue.add(node)
    },
  }
  return run
}
