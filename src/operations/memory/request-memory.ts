/** The memory of one request besides its runs: its body, the files it reads, and its answer. */
import { busy, SMALL_BYTES, type Admission } from './admission.ts'
import type { MemoryLease } from './memory-lease.ts'

// Measured in workerd, garbage included, as the peak of six requests at once less that of an idle
// isolate (`test/node/memory/isolate-memory.slow.test.ts`).

/**
 * Of a body: 5.4 as UTF-16, 5.1 as wide UTF-8, 3.9 as base64. Its text and its parsed content take
 * two bytes per character, and the file's bytes come from them.
 */
const BODY_COPIES = 6
/** Of a file that stays bytes, from 1.5 to 2.5: as it arrives, as a whole, and as changed. */
const FILE_COPIES = 3
/** Of a file that becomes a string in a message: up to 8.4. */
export const TEXT_COPIES = 10

export interface RequestMemoryOptions {
  readonly maxFileBytes: number
  /** A request that lasts longer was killed by the platform. */
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/** Reserved piece by piece, and released as a whole once the answer has left. */
export class RequestMemory {
  readonly #admission: Admission
  readonly #options: RequestMemoryOptions
  /** Only the first grows; there are more if calls of one message waited together. */
  readonly #leases: MemoryLease[] = []
  #bodyBytes = 0
  #isOver = false

  constructor(admission: Admission, options: RequestMemoryOptions) {
    this.#admission = admission
    this.#options = options
  }

  get heldBytes(): number {
    let bytes = 0
    for (const { heldBytes } of this.#leases) bytes += heldBytes
    return bytes
  }

  /**
   * Waits until there is room for a body, or for this many more bytes of it.
   *
   * @param maxBytes What it may come to.
   * @throws {AppError} `busy` if there is no room in time.
   */
  async holdBody(bytes: number, maxBytes = bytes): Promise<void> {
    // Both are announced at first: of requests that wait for files, each one could have them.
    const later = FILE_COPIES * this.#options.maxFileBytes
    this.#bodyBytes += await this.#hold(BODY_COPIES * bytes, BODY_COPIES * maxBytes + later)
  }

  /**
   * As {@link holdBody}, for a file to be read.
   *
   * @param copies How many times its size the work takes.
   */
  async holdFile(bytes: number, copies = FILE_COPIES): Promise<void> {
    await this.#hold(copies * bytes, copies * bytes)
  }

  /** A run reserves its own memory, and may need all there is; little is left of the body. */
  releaseBody(): void {
    const [lease] = this.#leases
    if (!lease || this.#bodyBytes === 0) return
    if (lease.fixedBytes > this.#bodyBytes) lease.fixedBytes -= this.#bodyBytes
    else this.#leases.shift()?.end()
    this.#bodyBytes = 0
  }

  /** The client still reads. */
  renew(): void {
    for (const lease of this.#leases) lease.renew()
  }

  end(): void {
    this.#isOver = true
    for (const lease of this.#leases.splice(0)) lease.end()
  }

  /** Resolves to what is counted. */
  async #hold(bytes: number, maxBytes: number): Promise<number> {
    if (bytes < SMALL_BYTES) return 0
    // Nobody would release it.
    if (this.#isOver) throw busy()
    const [first] = this.#leases
    if (first) {
      await first.grow(bytes, () => (first.fixedBytes += bytes))
      return bytes
    }
    const lease = await this.#admission.hold(bytes, { ...this.#options, maxBytes })
    if (this.#isOver) lease.end()
    else this.#leases.push(lease)
    return bytes
  }
}
