/** The memory of one request: what it holds now, and the most it may come to. */
import type { MemoryRoom } from '../../files/memory-room.ts'
import { MEMORY_INITIAL_PAGES, PAGE_BYTES } from '../../vm/memory-size.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** What a VM owns before it has run anything. */
const FRESH_VM = { heldBytes: MEMORY_INITIAL_PAGES * PAGE_BYTES }

/** What admission has to know of a lease beforehand. */
export interface LeaseTerms {
  /** From the start to the end, beside the VM and the files of a run. */
  readonly fixedBytes: number
  /** The most it may come to. */
  readonly maxBytes: number
  /** Longer than this it cannot last: what is not over by then was ended by the platform. */
  readonly maxMs: number
}

/** What a lease asks of admission. */
export interface Lessor {
  canGrow(lease: MemoryLease, bytes: number): boolean
  grow<T>(lease: MemoryLease, bytes: number, take: () => T): MaybePromise<T>
  /** Told of memory that nobody uses any more, but that the engine has yet to collect. */
  discard(owner: object, bytes: number): void
}

/** Lent by admission. What is held is asked for when it matters, so that nobody has to report it. */
export class MemoryLease implements MemoryRoom {
  readonly maxBytes: number
  /** When it is over for certain: on Workers a request may end without a word. */
  readonly endsAt: number
  files: { readonly residentBytes: number } | undefined
  /** Promised to something that is about to be made. */
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

  /** Only runs can; everything else is granted at once. */
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

  /** The VM is there, and counts as what it is. */
  startVm(vm: { readonly heldBytes: number }): void {
    this.#vm = vm
  }

  /** The script is over: what it had can be collected, while its files are stored. */
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
