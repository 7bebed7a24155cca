/** Counts the requests of one run: platforms end an invocation that makes too many. */

/** For retries, which happen below what is counted. */
const SPARE_SHARE = 0.05
const MIN_SPARE = 5

/** To the store and to APIs together. What storing the run's files needs is kept for that. */
export class RequestBudget {
  readonly max: number
  #used = 0
  #spare: number
  /** Set by the owner of the files to store. @param moreBytes To be written yet. */
  storing: (moreBytes: number) => number = () => 0

  constructor(max: number) {
    this.max = max
    this.#spare = Math.max(MIN_SPARE, Math.ceil(max * SPARE_SHARE))
  }

  get used(): number {
    return this.#used
  }

  count(requests: number): void {
    this.#used += requests
  }

  /** Whether this many more leave enough for storing, also this many more bytes. */
  has(requests: number, moreBytes = 0): boolean {
    if (this.max === Infinity) return true
    return this.#used + requests + this.storing(moreBytes) + this.#spare <= this.max
  }

  /** For scripts. */
  get refusal(): string {
    return `too many requests to the store and to APIs (max ${this.max} per run)`
  }
}
