/** The shared state of the files of one run. */
import type { StorageDriver } from '../../storage/driver.ts'
import {
  NotKept,
  type PlanMemory,
  type PlannedObjects,
} from '../../storage/planned/planned-objects.ts'
import { AreaStore, type AreaStoreOptions } from '../store/area-store.ts'
import type { AreaKeys } from '../store/area.ts'
import { FileBudget, type MemoryRoom } from '../content/file-budget.ts'
import { FileError } from '../file-error.ts'
import { RequestBudget } from '../request-budget.ts'
import { FileNode, type GetObject } from '../content/file-node.ts'
import { partsOf, REQUESTS } from '../store/request-costs.ts'
import { FileTree, NameTable } from './names.ts'
import { FilesTouched, type TouchedFile } from './files-touched.ts'
import { FlushQueue } from './flush-queue.ts'
import { HandleTable } from './handle-table.ts'
import { MovedFiles } from './moves.ts'
import { Saves } from './save-stream.ts'
import type { VirtualPath } from '../path.ts'
import { RunStreams } from './streams.ts'
import type { UploadSizes } from '../store/upload-stream.ts'
import { NOTHING, sum, type Amount } from '../usage/amount.ts'
import type { StorageMeter } from '../usage/storage-meter.ts'
import { MAX_REQUESTS, storeFile } from './store-changes.ts'
import type { Ending } from '../../lib/abort.ts'

/** Limits of one run. */
export interface FileLimits {
  readonly maxOpenHandles: number
  /** For reads and writes together; also the largest file that can be written. */
  readonly maxResidentBytes: number
  readonly maxFilesTouched: number
}

export type OpenMeter = (how: Pick<AreaStoreOptions, 'ending' | 'onRequest'>) => StorageMeter

/** Tenants and areas are known to `keyFor` alone. */
export interface VirtualFilesOptions {
  readonly storage: StorageDriver
  readonly keyFor: AreaKeys['keyFor']
  /** What the storage of a plan keeps: in memory of the run, until that is needed. */
  readonly planned?: PlannedObjects | undefined
  readonly limits: FileLimits
  /** Memory shared by all runs; unlimited by default. */
  readonly room?: MemoryRoom | undefined
  /** Shared with the run's API calls; unlimited by default. */
  readonly requests?: RequestBudget | undefined
  /** A folder of the root that always exists and is stored under another prefix. */
  readonly sharedDir?: VirtualPath | undefined
  /** Ends the script's waits with EIO; storing at the end of the run takes its own. */
  readonly ending?: Ending | undefined
  /** Whether files are stored when closed (the default) or only when the run ends. */
  readonly storesOnClose?: boolean | undefined
  /** Of files uploaded while they are written. */
  readonly uploadSizes?: UploadSizes | undefined
  /** Limits what is stored; absent if it is not limited. */
  readonly openMeter?: OpenMeter | undefined
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
  readonly requests: RequestBudget
  readonly streams: RunStreams
  readonly saves = new Saves()
  /** For requests the script waits for: failures become EIO. */
  readonly store: AreaStore
  /** For uploads. */
  readonly uploads: AreaStore
  /** Absent if what is stored is not limited. */
  readonly meter: StorageMeter | undefined
  /** Aborts all uploads. */
  readonly uploadsEnding = new AbortController()
  readonly options: VirtualFilesOptions

  constructor(options: VirtualFilesOptions) {
    const { storage, keyFor, sharedDir, limits, storesOnClose = true } = options
    const area = { keyFor, sharedDir }
    const { uploadsEnding } = this
    this.options = options
    const { requests = new RequestBudget(Infinity) } = options
    this.requests = requests
    requests.storing = (moreBytes) => this.#requestsToStore(moreBytes)
    const onRequest = (count: number) => requests.count(count)
    this.meter = options.openMeter?.({ ending: uploadsEnding, onRequest })
    if (this.meter) this.meter.pending = () => this.#amountToStore()
    this.uploads = new AreaStore({
      storage,
      area,
      ending: uploadsEnding,
      onRequest,
      meter: this.meter,
    })
    this.store = new AreaStore({
      storage,
      area,
      ending: options.ending,
      onRequest: (count) => {
        requests.count(count)
        this.queue.start()
      },
      errorOf(cause) {
        if (cause instanceof NotKept) return new FileError('EFBIG', { cause })
        options.onFailure?.(cause)
        return new FileError('EIO', { cause })
      },
    })
    this.names = new NameTable(sharedDir)
    const idle = () => this.#evictable()
    this.budget = new FileBudget(limits.maxResidentBytes, idle, options.room)
    if (options.planned) options.planned.memory = planMemory(this.budget)
    this.tree = new FileTree(this.names, this.store, this.budget)
    this.handles = new HandleTable(limits.maxOpenHandles)
    this.touched = new FilesTouched(limits.maxFilesTouched)
    this.streams = new RunStreams(this)
    this.queue = new FlushQueue((node) => storeFile(this, node), {
      requests: MAX_REQUESTS,
      budget: this.budget,
      takes: (node) => storesOnClose && node.path !== null && !this.handles.isWriting(node),
      isBlocked: ({ path }) => this.moved.has(path) || this.handles.isReadFrom(path),
      signal: () => uploadsEnding.signal,
    })
  }

  /** An upper bound for what is changed now. */
  #requestsToStore(moreBytes: number): number {
    let requests = partsOf(this.budget.usedBytes + moreBytes)
    for (const path of this.touched.paths()) {
      const node = this.names.get(path)?.node
      if (!node) requests += REQUESTS.remove
      else if (node.stream) requests += REQUESTS.upload
      else if (node.isChanged) requests += node.isCopied ? REQUESTS.copy : REQUESTS.put
      if (this.moved.has(path)) requests += REQUESTS.removeVersion
    }
    return requests
  }

  /** Of files that are changed now; streams take their own. */
  #amountToStore(): Amount {
    const nodes = [...this.touched.paths()].flatMap((path) => this.names.get(path)?.node ?? [])
    const changed = nodes.filter(({ isChanged, isCopied, stream }) => {
      return isChanged && !isCopied && !stream
    })
    const bytesOf = ({ isEdited, size, base }: FileNode) =>
      isEdited ? size : Math.max(0, size - (base?.bytes ?? 0))
    return sum(NOTHING, ...changed.map((node) => ({ bytes: bytesOf(node), objects: 1 })))
  }

  /** Includes memory that unloading idle files would free. */
  get freeBytes(): number {
    let bytes = this.budget.freeBytes + (this.options.planned?.keptBytes ?? 0)
    for (const node of this.tree.idleNodes()) bytes += node.size - node.missingBytes
    return bytes
  }

  *#evictable(): Generator<{ unload(): void }> {
    yield* this.tree.idleNodes()
    yield* this.options.planned?.kept() ?? []
  }

  /** Takes ownership of the chunks without copying; all but the last must be full. */
  create(path: VirtualPath, chunks: readonly Uint8Array[]): void {
    this.tree.findKnown(path)
    const node = this.replace(path)
    node.fill(chunks)
    this.queue.add(node)
  }

  /**
   * Puts another file under a name, empty by default. As after a rename, handles of the old file
   * keep its content and write nowhere.
   */
  replace(path: VirtualPath, saved?: Parameters<typeof FileNode.saved>[2]): FileNode {
    this.touched.touch(path)
    const old = this.names.get(path)?.node
    if (old) {
      this.queue.withdraw(old)
      this.streams.discard(old)
      this.tree.unlink(path)
    }
    if (!saved) return this.tree.create(path, 'write')
    const node = FileNode.saved(path, this.budget, saved)
    this.names.set(path, node, 'base' in saved || undefined)
    return node
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
    const get: GetObject = async (path, range) => {
      if (this.requests.has(1)) return this.store.get(path, range)
      this.options.onFailure?.(new Error(this.requests.refusal))
      throw new FileError('EIO')
    }
    const upload = this.queue.underWay(node)
    return upload ? upload.then(() => load(get)) : load(get)
  }
}

function planMemory(budget: FileBudget): PlanMemory {
  return {
    async hold(bytes) {
      try {
        await budget.takeLater(bytes)
        return true
      } catch (error) {
        if (error instanceof FileError && error.code === 'EFBIG') return false
        throw error
      }
    },
    give: (bytes) => budget.discard(bytes),
  }
}
