/** The memory of one request: how much it holds, and its maximum. */
import type { MemoryRoom } from '../../files/content/file-budget.ts'
import { MEMORY_INITIAL_PAGES, PAGE_BYTES } from '../../vm/limits/memory-size.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** A VM before it has run anything. */
const FRESH_VM = { heldBytes: MEMORY_INITIAL_PAGES * PAGE_BYTES }

export interface LeaseTerms {
  /** Held from start to end, besides a run's VM and files. */
  readonly fixedBytes: number
  readonly maxBytes: number
  /** A lease that lasts longer was killed by the platform. */
  readonly maxMs: number
}

/** What a lease needs of admission. */
export interface Lessor {
  canGrow(lease: MemoryLease, bytes: number): boolean
  grow<T>(lease: MemoryLease, bytes: number, take: () => T): MaybePromise<T>
  /** Reports memory that is unused but not collected yet. */
  discard(owner: object, bytes: number): void
}

/** Computes what is held on demand, so that holders need not report changes. */
export class MemoryLease implements MemoryRoom {
  readonly maxBytes: number
  /** When it is certainly over: a Worker request may end without notice. */
  readonly endsAt: number
  files: { readonly residentBytes: number } | undefined
  /** Promised to something about to be allocated. */
  reservedBytes = 0
  fixedBytes: number
  isOver = false
  #vm: { readonly heldBytes: number } | undefined
  readonly #lessor: Lessor

  constructor({ fixedBytes, maxBytes, maxMs }: LeaseTerms, lessor: Lessor) {
    this.fixedBytes = fixedBytes
    this.maxBytes = maxBytes
    this.endsAt = Date.now() + maxMs
    this.#lessor = lessor
    this.#vm = this.canGrow ? FRESH_VM : undefined
  }

  /** Only runs can; other leases are granted in full at once. */
  get canGrow(): boolean {
    return this.maxBytes > this.fixedBytes
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

  has(bytes: number): boolean {
    return this.#lessor.canGrow(this, bytes)
  }

  grow<T>(bytes: number, take: () => T): MaybePromise<T> {
    return this.#lessor.grow(this, bytes, take)
  }
}
