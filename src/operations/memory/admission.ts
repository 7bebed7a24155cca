/**
 * Shares one process's memory among its requests: an isolate that runs out kills all of them.
 *
 * A run starts small, with a fresh VM, and asks for more as it grows. Reserving its full limits up
 * front would let a Worker do one run at a time; reserving nothing would let a few runs fill the
 * isolate together. So growth is granted only while every run could still finish
 * ({@link isSafe}): one run always has room up to its limits, and the others share the rest. A run
 * without room pauses but does not fail; new requests queue behind it, refused after a while.
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
/** Smaller bodies count as a request's ordinary overhead. */
const SMALL_BYTES = 64 * 1024

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
  /** Runs waiting to grow; maps to when they last polled. */
  readonly #growing = new Map<MemoryLease, number>()
  readonly #garbage = new Garbage()
  #isShort = false

  constructor(budgetBytes: number, maxWaitMs = 5000) {
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
    const terms = { maxBytes: maxBytes + RUN_BYTES, maxMs, fixedBytes: RUN_BYTES }
    const lease = await this.#lend(terms, signal)
    try {
      return await use(lease)
    } finally {
      this.#end(lease)
    }
  }

  /** Reserves all bytes at once, and returns the release function. Throws as {@link admit}. */
  async hold({ maxBytes, maxMs, signal }: AdmissionRequest): Promise<() => void> {
    if (maxBytes < SMALL_BYTES) return () => undefined
    const lease = await this.#lend({ maxBytes, maxMs, fixedBytes: maxBytes }, signal)
    return () => this.#end(lease)
  }

  async #lend(terms: LeaseTerms, signal: AbortSignal | undefined): Promise<MemoryLease> {
    const lease = new MemoryLease(terms, {
      canGrow: (asking, bytes) => this.#canGrow(asking, bytes),
      grow: (asking, bytes, take) => this.#grow(asking, bytes, take),
      discard: (owner, bytes) => this.#garbage.add(owner, bytes),
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
        if (Date.now() >= endOfWait || signal?.aborted) {
          throw new AppError('busy', 'The service is busy. Try again in a few seconds.')
        }
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
    return this.#leases.size === 0 || this.#fits([...this.#leases, lease], lease.heldBytes)
  }

  #grow<T>(lease: MemoryLease, bytes: number, take: () => T): MaybePromise<T> {
    return this.#canGrow(lease, bytes) ? take() : this.#growLater(lease, bytes, take)
  }

  async #growLater<T>(lease: MemoryLease, bytes: number, take: () => T): Promise<T> {
    try {
      do {
        this.#growing.set(lease, Date.now())
        await this.#pause()
        if (lease.isOver) throw new Error('the run is over')
      } while (!this.#canGrow(lease, bytes))
      return take()
    } finally {
      this.#growing.delete(lease)
    }
  }

  /** The run that needs least only needs free memory: it finishes even if others overrun. */
  #canGrow(lease: MemoryLease, bytes: number): boolean {
    this.#forgetTheGone(lease)
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
    if (lease.heldBytes >= SMALL_BYTES) this.#garbage.add(lease, lease.heldBytes)
    lease.isOver = true
    this.#leases.delete(lease)
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
