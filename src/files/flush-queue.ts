/** Stores closed files in the background, while the script goes on. */
import type { FileBudget } from './file-budget.ts'
import type { FileNode } from './file-node.ts'
import { inParallel } from '../lib/parallel.ts'
import type { VirtualPath } from './path.ts'
import { untilAborted } from '../lib/abort.ts'

/** So much is not kept waiting for the script to wait. */
const START_AT_BYTES = 8 * 1024 * 1024

/** Stores one file under the name it has; rejects when the store did not take it. */
export type StoreNode = (node: FileNode) => Promise<void>

/** What storing may use. */
export interface FlushRoom {
  readonly requests: number
  /** Appending fetches what is appended to, if it is not here. */
  readonly budget: FileBudget
  /** Whether a file's name is not free yet: it is then left to {@link FlushQueue.storeAll}. */
  readonly isBlocked: (node: FileNode) => boolean
  /** Ends waiting for memory. */
  readonly signal: () => AbortSignal
}

interface Upload {
  /** The name it goes to, whatever happens to the file's own. */
  readonly path: VirtualPath | null
  readonly ended: Promise<void>
}

/** A file is in it between its last close and its upload; failures stay with the file, for {@link storeAll} to try again. */
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

  /** For a file that nobody has open for writing any more. */
  add(node: FileNode): void {
    if (!node.isChanged || this.#waiting.has(node)) return
    const bytes = node.size - node.missingBytes
    this.#waiting.set(node, bytes)
    this.#waitingBytes += bytes
    if (this.#waitingBytes >= START_AT_BYTES) this.start()
  }

  /** For a file that will change again, or is gone. One on its way already cannot be called back. */
  withdraw(node: FileNode): void {
    this.#waitingBytes -= this.#waiting.get(node) ?? 0
    this.#waiting.delete(node)
  }

  /** Starts as many uploads as there is room for; each that ends makes room for the next. */
  start(): void {
    for (const node of this.#isFinishing ? [] : this.#waiting.keys()) {
      if (this.#running.size >= this.#room.requests) return
      if (this.#isWorthwhile(node) && this.#hasTurn(node)) this.#run(node)
    }
  }

  /** The upload of a file, while it is under way. */
  underWay(node: FileNode): Promise<void> | undefined {
    return this.#running.get(node)?.ended
  }

  /** Starts nothing more and waits for what is under way. */
  async settle(): Promise<void> {
    this.#isFinishing = true
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /**
   * Stores these files as they are now; those that are still changed afterwards the store did not take.
   * After {@link settle}.
   */
  async storeAll(nodes: readonly FileNode[]): Promise<void> {
    // What is whole goes first: once stored, it makes room for what has to be fetched.
    await this.#storeEach(nodes.filter((node) => node.missingBytes === 0))
    await this.#storeEach(nodes.filter((node) => node.missingBytes > 0))
  }

  async #storeEach(nodes: readonly FileNode[]): Promise<void> {
    const { requests, budget } = this.#room
    const room = { jobs: requests, bytes: budget.freeBytes }
    const missingBytes = (node: FileNode) => node.missingBytes
    await inParallel(nodes, room, missingBytes, async (node) => {
      try {
        while (node.isChanged) await this.#storeWithin(node)
      } catch {
        // The file says itself that it is still changed.
      }
    })
  }

  /** Counts what has to be fetched while it is here. */
  async #storeWithin(node: FileNode): Promise<void> {
    const { missingBytes } = node
    const taken = this.#room.budget.takeAnyway(missingBytes)
    if (taken) await untilAborted(this.#room.signal(), () => taken)
    try {
      await this.#store(node)
    } finally {
      this.#room.budget.give(missingBytes)
    }
  }

  /** A file that was stored before has to double first: a line more each time must not copy all of it each time. */
  #isWorthwhile(node: FileNode): boolean {
    const before = this.#sizeWhenStored.get(node)
    return before === undefined || node.size >= 2 * before
  }

  /**
   * Two uploads of one name would race each other; a file that is being loaded would mix what was and what is;
   * and what has to be fetched has to fit beside what the script holds.
   */
  #hasTurn(node: FileNode): boolean {
    for (const [running, { path }] of this.#running) {
      if (running === node || path === node.path) return false
    }
    if (this.#room.isBlocked(node)) return false
    return !node.loading && this.#room.budget.hasRoom(node.missingBytes)
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
