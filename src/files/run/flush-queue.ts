/** Uploads closed files in the background while the script runs. */
import type { FileBudget } from '../content/file-budget.ts'
import type { FileNode } from '../content/file-node.ts'
import { inParallel } from '../../lib/parallel.ts'
import type { VirtualPath } from '../path.ts'
import { untilAborted } from '../../lib/abort.ts'

/** Uploads start at this many queued bytes, even if the script is not waiting for anything. */
const START_AT_BYTES = 8 * 1024 * 1024

/** Stores one file under its current name; rejects if the store did not take it. */
export type StoreNode = (node: FileNode) => Promise<void>

export interface FlushRoom {
  readonly requests: number
  /** Appending fetches the stored object if it is not resident. */
  readonly budget: FileBudget
  /** Whether a file should be stored before the run ends and is not open for writing. */
  readonly takes: (node: FileNode) => boolean
  /** Whether its name is still in use in the store: then {@link FlushQueue.storeAll} stores it. */
  readonly isBlocked: (node: FileNode) => boolean
  /** Aborts waiting for memory. */
  readonly signal: () => AbortSignal
}

interface Upload {
  /** The name it is uploaded to, even if the file is renamed meanwhile. */
  readonly path: VirtualPath | null
  readonly ended: Promise<void>
}

/** Holds files from last close to upload; {@link storeAll} retries those that failed. */
export class FlushQueue {
  readonly #store: StoreNode
  readonly #room: FlushRoom
  readonly #waiting = new Map<FileNode, number>()
  readonly #running = new Map<FileNode, Upload>()
  readonly #sizeWhenStored = new WeakMap<FileNode, number>()
  #waitingBytes = 0
  #isFinishing = false

  constructor(store: StoreNode, room: FlushRoom) {
    this.#store = store
    this.#room = room
  }

  /** Call when a file may have been closed for the last time. */
  add(node: FileNode): void {
    if (!node.isChanged || this.#waiting.has(node) || !this.#room.takes(node)) return
    const bytes = node.size - node.missingBytes
    this.#waiting.set(node, bytes)
    this.#waitingBytes += bytes
    if (this.#waitingBytes >= START_AT_BYTES) this.start()
  }

  /** For a file that will change again or is gone. A running upload is not cancelled. */
  withdraw(node: FileNode): void {
    this.#waitingBytes -= this.#waiting.get(node) ?? 0
    this.#waiting.delete(node)
  }

  /** Starts as many uploads as allowed; each starts the next when it ends. */
  start(): void {
    for (const node of this.#isFinishing ? [] : this.#waiting.keys()) {
      if (this.#running.size >= this.#room.requests) return
      if (this.#isWorthwhile(node) && this.#hasTurn(node)) this.#run(node)
    }
  }

  /** The running upload of a file. */
  underWay(node: FileNode): Promise<void> | undefined {
    return this.#running.get(node)?.ended
  }

  /** When a queued or running upload of the file has ended; `undefined` if there is none. */
  whenEnded(node: FileNode): Promise<void> | undefined {
    if (!this.#running.has(node) && this.#waiting.has(node)) this.start()
    const running = this.underWay(node)
    if (running || !this.#waiting.has(node)) return running
    return this.oneEnded()?.then(() => this.whenEnded(node))
  }

  /** When any running upload has ended; `undefined` if there is none. */
  oneEnded(): Promise<void> | undefined {
    const running = [...this.#running.values()].map(({ ended }) => ended)
    return running.length > 0 ? Promise.race(running) : undefined
  }

  /** Starts no more uploads and waits for the running ones. */
  async settle(): Promise<void> {
    this.#isFinishing = true
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /** Stores these files; any still changed afterwards were not taken. Call after {@link settle}. */
  async storeAll(nodes: readonly FileNode[]): Promise<void> {
    // Fully resident files first: once stored, they free memory for those that need fetching.
    await this.#storeEach(nodes.filter((node) => node.bytesToFetch === 0))
    await this.#storeEach(nodes.filter((node) => node.bytesToFetch > 0))
  }

  async #storeEach(nodes: readonly FileNode[]): Promise<void> {
    const { requests, budget } = this.#room
    const room = { jobs: requests, bytes: budget.freeBytes }
    const bytesToFetch = (node: FileNode) => node.bytesToFetch
    await inParallel(nodes, room, bytesToFetch, async (node) => {
      try {
        while (node.isChanged) await this.#storeWithin(node)
      } catch {
        // The file stays marked as changed.
      }
    })
  }

  /** Reserves memory for the bytes that have to be fetched. */
  async #storeWithin(node: FileNode): Promise<void> {
    const { bytesToFetch } = node
    const taken = this.#room.budget.takeAnyway(bytesToFetch)
    if (taken) await untilAborted(this.#room.signal(), () => taken)
    try {
      await this.#store(node)
    } finally {
      this.#room.budget.give(bytesToFetch)
    }
  }

  /** Stored files must double first: else appending line by line would rewrite them each time. */
  #isWorthwhile(node: FileNode): boolean {
    const before = node.stream ? undefined : this.#sizeWhenStored.get(node)
    return before === undefined || node.size >= 2 * before
  }

  /**
   * Two uploads to one name would race; storing during a load would mix two versions; and fetched
   * bytes must fit beside what the script holds.
   */
  #hasTurn(node: FileNode): boolean {
    for (const [running, { path }] of this.#running) {
      if (running === node || path === node.path) return false
    }
    if (this.#room.isBlocked(node)) return false
    return !node.loading && this.#room.budget.hasRoom(node.bytesToFetch)
  }

  #run(node: FileNode): void {
    this.withdraw(node)
    this.#sizeWhenStored.set(node, node.size)
    const end = () => {
      this.#running.delete(node)
      this.start()
    }
    this.#running.set(node, { path: node.path, ended: this.#storeWithin(node).then(end, end) })
  }
}
