/** Limits shared by all API calls of one run. */
import type { RunLimits } from '../../limits.ts'
import { LimitReached } from '../../vm/raise.ts'

export class ApiBudget {
  readonly #limits: RunLimits
  #calls = 0
  #bytes = 0

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  /** @throws {LimitReached} */
  countCall(): void {
    const { apiCalls } = this.#limits
    if (this.#calls >= apiCalls) throw new LimitReached(`too many API calls (max ${apiCalls})`)
    this.#calls++
  }

  /** @throws {LimitReached} */
  countBytes(bytes: number): void {
    const { apiBytes } = this.#limits
    this.#bytes += bytes
    if (this.#bytes > apiBytes) throw new LimitReached(`too many bytes from APIs (max ${apiBytes})`)
  }
}
