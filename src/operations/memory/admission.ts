/**
 * Shares one process's memory among its requests: an isolate that runs out kills all of them.
 *
 * A run starts small, with a fresh VM, and asks for more as it grows. Reserving its full limits up
 * front would let a Worker do one run at a time; reserving nothing would let a few runs fill the
 * isolate together. So growth is granted only while every run could still finish
 * ({@link isSafe}): one run always has room up to its limits, and the others share the rest. A run
 * without room pauses but does not fail; new requests queue behind it, refused after a while.
 * Bodies and files of other requests follow the same rules (`request-memory.ts`).
 */
import { AppError } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { Garbage } from './garbage.ts'
import { MemoryLease, type LeaseTerms } from './memory-lease.ts'
import { isSafe } from '../run/safe-state.ts'

const PAUSE_MS = 20
/** A waiter that has not polled for this long was killed by the platform. */
const STALE_MS = 1000
/** Host objects of every run. */
const RUN_BYTES = 64 * 1024
/** Less counts as a request's ordinary overhead. */
export const SMALL_BYTES = 64 * 1024
/** As long as a run may last by default, so that a waiter outlasts the run it waits for. */
const MAX_WAIT_MS = 30_000

export interface AdmissionRequest {
  /** For a run, its VM and files together. */
  readonly maxBytes: number
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/** One per process or isolate. */
export class Admission {
  readonly #budgetBytes: number
  readonly #maxWaitMs: number
  readonly #leases = new Set<MemoryLease>()
  /** Not admitted yet; maps to the end of the wait. */
  readonly #queue = new Map<MemoryLease, number>()
  /** Waiting to grow; maps to when they last polled. */
  readonly #growing = new Map<MemoryLease, number>()
  readonly #garbage = new Garbage()
  #isShort = false

  constructor(budgetBytes: number, maxWaitMs = MAX_WAIT_MS) {
    this.#budgetBytes = budgetBytes
    this.#maxWaitMs = maxWaitMs
  }

  /** Held by all requests in progress. */
  get usedBytes(): number {
    let bytes = 0
    for (const { heldBytes } of this.#leases) bytes += heldBytes
    return bytes
  }

  /**
   * Calls `use` once there is room, first come, first served.
   *
   * @throws {AppError} `busy` if there is no room in time, or the client has disconnected.
   */
  async admit<T>(
    { maxBytes, maxMs, signal }: AdmissionRequest,
    use: (lease: MemoryLease) => Promise<T>,
  ): Promise<T> {
    const terms = { isRun: true, maxBytes: maxBytes + RUN_BYTES, maxMs, fixedBytes: RUN_BYTES }
    const lease = await this.#lend(terms, signal)
    try {
      return await use(lease)
    } finally {
      this.#end(lease)
    }
  }

  /** Reserves bytes until the lease is ended. Throws as {@link admit}. */
  hold(bytes: number, { maxBytes, maxMs, signal }: AdmissionRequest): Promise<MemoryLease> {
    return this.#lend({ isRun: false, fixedBytes: bytes, maxBytes, maxMs, signal }, signal)
  }

  async #lend(terms: LeaseTerms, signal: AbortSignal | undefined): Promise<MemoryLease> {
    const lease = new MemoryLease(terms, {
      canGrow: (asking, bytes) => this.#canGrow(asking, bytes),
      grow: (asking, bytes, take) => this.#grow(asking, bytes, take),
      discard: (owner, bytes, isLarge) => this.#discard(owner, bytes, isLarge),
      end: (ended) => this.#end(ended),
    })
    if (!this.#isNext(lease)) await this.#wait(lease, signal)
    // Before any other request checks for room: concurrent requests must see each other.
    this.#leases.add(lease)
    return lease
  }

  /** Polls: a Worker request must not resume another. */
  async #wait(lease: MemoryLease, signal: AbortSignal | undefined): Promise<void> {
    const endOfWait = Date.now() + this.#maxWaitMs
    this.#queue.set(lease, endOfWait + PAUSE_MS)
    try {
      do {
        if (Date.now() >= endOfWait || signal?.aborted) throw busy()
        await this.#pause()
      } while (!this.#isNext(lease))
    } finally {
      this.#queue.delete(lease)
    }
  }

  #isNext(lease: MemoryLease): boolean {
    this.#forgetTheGone(lease)
    const [first = lease] = this.#queue.keys()
    if (first !== lease || this.#growing.size > 0) return false
    return this.#fits([...this.#leases, lease], lease.heldBytes)
  }

  #grow<T>(lease: MemoryLease, bytes: number, take: () => T): MaybePromise<T> {
    return this.#canGrow(lease, bytes) ? take() : this.#growLater(lease, bytes, take)
  }

  async #growLater<T>(lease: MemoryLease, bytes: number, take: () => T): Promise<T> {
    const endOfWait = lease.isRun ? Infinity : Date.now() + this.#maxWaitMs
    try {
      do {
        this.#growing.set(lease, Date.now())
        await this.#pause()
        if (lease.isOver) throw new Error('the run is over')
        if (Date.now() >= endOfWait || lease.signal?.aborted) throw busy()
      } while (!this.#canGrow(lease, bytes))
      return take()
    } finally {
      this.#growing.delete(lease)
    }
  }

  /** The run that needs least only needs free memory: it finishes even if others overrun. */
  #canGrow(lease: MemoryLease, bytes: number): boolean {
    this.#forgetTheGone(lease)
    if (!lease.isRun && bytes > lease.neededBytes && this.#exceeds(bytes)) return false
    if (lease === this.#first) return this.#isFree(bytes)
    const { heldBytes, neededBytes } = lease
    const grown = {
      heldBytes: heldBytes + bytes,
      neededBytes: Math.max(0, neededBytes - bytes),
    }
    const others = [...this.#leases].filter((other) => other !== lease)
    return this.#fits([...others, grown], bytes)
  }

  /** The run that needs least; the oldest of equals, so that it stays first while it grows. */
  get #first(): MemoryLease | undefined {
    let first: MemoryLease | undefined
    for (const lease of this.#leases) {
      if (!lease.canGrow || (first && first.neededBytes <= lease.neededBytes)) continue
      first = lease
    }
    return first
  }

  #fits(leases: Parameters<typeof isSafe>[0], bytes: number): boolean {
    return isSafe(leases, this.#budgetBytes) && this.#isFree(bytes)
  }

  /** What was not announced is granted only where it fits. */
  #exceeds(bytes: number): boolean {
    return this.usedBytes + bytes > this.#budgetBytes
  }

  /** Whether the memory is really free: uncollected garbage still occupies it. */
  #isFree(bytes: number): boolean {
    const isShort = () => this.usedBytes + this.#garbage.bytes + bytes > this.#budgetBytes
    if (!isShort()) return true
    this.#garbage.look()
    this.#isShort = isShort() && this.#garbage.isCollectable
    return !this.#isShort
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (this.#isShort) this.#garbage.collect()
    this.#isShort = false
  }

  #end(lease: MemoryLease): void {
    if (lease.isOver) return
    lease.endVm()
    this.#discard(lease, lease.heldBytes, !lease.isRun)
    lease.isOver = true
    this.#leases.delete(lease)
  }

  #discard(owner: object, bytes: number, isLarge = false): void {
    // Without a limit nobody looks for garbage, and the account of it would only grow.
    if (bytes < SMALL_BYTES || this.#budgetBytes === Infinity) return
    if (isLarge) this.#garbage.addLarge(owner, bytes)
    else this.#garbage.add(owner, bytes)
  }

  #forgetTheGone(asking: MemoryLease): void {
    const now = Date.now()
    for (const lease of this.#leases) if (lease.endsAt < now && lease !== asking) this.#end(lease)
    for (const [lease, end] of this.#queue) {
      if (end < now && lease !== asking) this.#queue.delete(lease)
    }
    for (const [lease, asked] of this.#growing) {
      if (lease.isOver || (asked + STALE_MS < now && lease !== asking)) this.#growing.delete(lease)
    }
  }
}

export function busy(): AppError {
  return new AppError('busy', 'The service is busy. Try again in a few seconds.')
}
