/** The memory of one request: how much it holds, and its maximum. */
import type { MemoryRoom } from '../../files/content/file-budget.ts'
import { MEMORY_INITIAL_PAGES, PAGE_BYTES } from '../../vm/limits/memory-size.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** A VM before it has run anything. */
const FRESH_VM = { heldBytes: MEMORY_INITIAL_PAGES * PAGE_BYTES }

export interface LeaseTerms {
  /** Whether it begins with a fresh VM, and may wait to grow until its own deadline. */
  readonly isRun: boolean
  /** Held besides a run's VM and files. */
  readonly fixedBytes: number
  readonly maxBytes: number
  /** A lease that lasts longer was killed by the platform. */
  readonly maxMs: number
  /** Ends a wait to grow. */
  readonly signal?: AbortSignal | undefined
}

/** What a lease needs of admission. */
export interface Lessor {
  canGrow(lease: MemoryLease, bytes: number): boolean
  grow<T>(lease: MemoryLease, bytes: number, take: () => T): MaybePromise<T>
  /**
   * Reports memory that is unused but not collected yet.
   *
   * @param isLarge Whether it may outlast its owner.
   */
  discard(owner: object, bytes: number, isLarge?: boolean): void
  end(lease: MemoryLease): void
}

/** Computes what is held on demand, so that holders need not report changes. */
export class MemoryLease implements MemoryRoom {
  readonly maxBytes: number
  readonly isRun: boolean
  readonly signal: AbortSignal | undefined
  files: { readonly residentBytes: number } | undefined
  /** Promised to something about to be allocated. */
  reservedBytes = 0
  fixedBytes: number
  isOver = false
  readonly #maxMs: number
  #endsAt: number
  #vm: { readonly heldBytes: number } | undefined
  readonly #lessor: Lessor

  constructor({ isRun, fixedBytes, maxBytes, maxMs, signal }: LeaseTerms, lessor: Lessor) {
    this.isRun = isRun
    this.fixedBytes = fixedBytes
    this.maxBytes = maxBytes
    this.signal = signal
    this.#maxMs = maxMs
    this.#endsAt = Date.now() + maxMs
    this.#lessor = lessor
    this.#vm = isRun ? FRESH_VM : undefined
  }

  /** When it is certainly over: a Worker request may end without notice. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Its holder is still there. */
  renew(): void {
    this.#endsAt = Date.now() + this.#maxMs
  }

  /** A run may hold more than it was granted, but is not over then. */
  get canGrow(): boolean {
    return this.isRun || this.maxBytes > this.fixedBytes
  }

  get heldBytes(): number {
    const parts = (this.#vm?.heldBytes ?? 0) + (this.files?.residentBytes ?? 0)
    return this.fixedBytes + this.reservedBytes + parts
  }

  /** What it may still ask for. */
  get neededBytes(): number {
    return Math.max(0, this.maxBytes - this.heldBytes)
  }

  /** From here on the VM's actual size counts. */
  startVm(vm: { readonly heldBytes: number }): void {
    this.#vm = vm
  }

  /** The VM can be collected while the files are being stored. */
  endVm(): void {
    if (this.#vm && this.#vm !== FRESH_VM) this.#lessor.discard(this.#vm, this.#vm.heldBytes)
    this.#vm = undefined
  }

  end(): void {
    this.#lessor.end(this)
  }

  discard(bytes: number): void {
    this.#lessor.discard({}, bytes, true)
  }

  has(bytes: number): boolean {
    return this.#lessor.canGrow(this, bytes)
  }

  grow<T>(bytes: number, take: () => T): MaybePromise<T> {
    return this.#lessor.grow(this, bytes, take)
  }
}
