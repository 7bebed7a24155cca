/** What the API calls of one run may use together. */
import { RequestBudget } from '../../files/request-budget.ts'
import type { RunLimits } from '../../limits.ts'
import { LimitReached } from '../../vm/script-error.ts'

export class ApiBudget {
  readonly #limits: RunLimits
  readonly #requests: RequestBudget
  #calls = 0
  #bytes = 0
  #savedBytes = 0

  constructor(limits: RunLimits, requests = new RequestBudget(limits.subrequests)) {
    this.#limits = limits
    this.#requests = requests
  }

  /** @throws {LimitReached} */
  countCall(): void {
    const { apiCalls } = this.#limits
    if (this.#calls >= apiCalls) throw new LimitReached(`too many API calls (max ${apiCalls})`)
    // Anything else that the call leads to, such as an access token, is one more.
    if (!this.#requests.has(2)) throw new LimitReached(this.#requests.refusal)
    this.#requests.count(1)
    this.#calls++
  }

  /** Of bodies that go into the VM. @throws {LimitReached} */
  countBytes(bytes: number): void {
    const { apiBytes } = this.#limits
    this.#bytes += bytes
    if (this.#bytes > apiBytes) throw new LimitReached(`too many bytes from APIs (max ${apiBytes})`)
  }

  /** What may still be saved to files. */
  get savableBytes(): number {
    return this.#limits.saveBytes - this.#savedBytes
  }

  /** @throws {LimitReached}, having counted nothing. */
  countSaved(bytes: number): void {
    if (bytes > this.savableBytes) {
      throw new LimitReached(`too many bytes saved from APIs (max ${this.#limits.saveBytes})`)
    }
    this.#savedBytes += bytes
  }

  /** For what is stored while it arrives. @throws {LimitReached} */
  assertCanStore(): void {
    // A part, and the request that completes the file.
    if (!this.#requests.has(2)) throw new LimitReached(this.#requests.refusal)
  }

  /** For a file that was not stored in the end. */
  giveSaved(bytes: number): void {
    this.#savedBytes -= bytes
  }
}
