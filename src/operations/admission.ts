/** Lets runs in while the memory of those under way allows it. */
import { AppError } from '../errors.ts'
import { MEMORY_INITIAL_PAGES, PAGE_BYTES } from '../vm/memory-size.ts'

/** What a VM owns before it has run anything. */
const FRESH_VM_BYTES = MEMORY_INITIAL_PAGES * PAGE_BYTES

const PAUSE_MS = 20

/** What one run holds now; nothing is reserved for what it may still take. */
export interface RunMemory {
  vm?: { readonly memoryBytes: number }
  files?: { readonly residentBytes: number }
}

/** Who asks to run. */
export interface AdmissionRequest {
  /** Longer than this it cannot take; one that is not over by then was ended by the platform. */
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/** One per process: an isolate that runs out of memory takes every run in it along. */
export class Admission {
  readonly #budgetBytes: number
  readonly #maxWaitMs: number
  /** With the time at which each is over for certain: on Workers a request may end without a word. */
  readonly #runs = new Map<RunMemory, number>()
  readonly #waiting = new Map<RunMemory, number>()

  constructor(budgetBytes: number, maxWaitMs = 5000) {
    this.#budgetBytes = budgetBytes
    this.#maxWaitMs = maxWaitMs
  }

  /** Bytes of all runs under way: their VMs and the files they hold. */
  get usedBytes(): number {
    let bytes = 0
    for (const { vm, files } of this.#runs.keys()) {
      bytes += (vm?.memoryBytes ?? FRESH_VM_BYTES) + (files?.residentBytes ?? 0)
    }
    return bytes
  }

  /**
   * Runs `use` as soon as there is room, first come, first served; `use` tells its run what it holds.
   *
   * @throws {AppError} `busy` when there is none in time, or the caller has gone.
   */
  async admit<T>(request: AdmissionRequest, use: (run: RunMemory) => Promise<T>): Promise<T> {
    const run: RunMemory = {}
    await this.#enter(run, request)
    try {
      return await use(run)
    } finally {
      this.#runs.delete(run)
    }
  }

  /** Asks again and again instead of being called: on Workers one request must not wake another. */
  async #enter(run: RunMemory, { maxMs, signal }: AdmissionRequest): Promise<void> {
    const endOfWait = Date.now() + this.#maxWaitMs
    this.#waiting.set(run, endOfWait + PAUSE_MS)
    try {
      while (!this.#isNext(run)) {
        if (Date.now() >= endOfWait || signal?.aborted) {
          throw new AppError('busy', 'The service is busy. Try again in a few seconds.')
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
      // Before anybody else can ask: those who come at the same moment must see each other.
      this.#runs.set(run, Date.now() + maxMs)
    } finally {
      this.#waiting.delete(run)
    }
  }

  #isNext(run: RunMemory): boolean {
    for (const entries of [this.#runs, this.#waiting]) {
      for (const [entry, end] of entries)
        if (end < Date.now() && entry !== run) entries.delete(entry)
    }
    const [first] = this.#waiting.keys()
    return first === run && (this.#runs.size === 0 || this.usedBytes < this.#budgetBytes)
  }
}
