/** Limits how often one address may try something in a minute, in this process. */
import { AppError } from '../errors.ts'

/** Per minute. */
const MOST = {
  /** API keys that were wrong. */
  key: 10,
  /** Client documents fetched. */
  document: 20,
  /** Clients registered. */
  registration: 20,
} as const

type Kind = keyof typeof MOST

const WINDOW_MS = 60_000
/** Bounds memory; the oldest are forgotten first. */
const MAX_ADDRESSES = 5_000

export class Attempts {
  readonly #now: () => Date
  readonly #counts = new Map<string, { count: number; readonly since: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @throws {AppError} `rate_limited` if there were too many before. */
  assertSome(kind: Kind, address: string): void {
    if (this.#countOf(kind, address) < MOST[kind]) return
    throw new AppError('rate_limited', 'Too many attempts. Try again in a minute.')
  }

  /** @throws {AppError} `rate_limited`; then it is not counted. */
  count(kind: Kind, address: string): void {
    this.assertSome(kind, address)
    const name = nameOf(kind, address)
    const count = this.#countOf(kind, address)
    const known = this.#counts.get(name)
    if (known && count > 0) known.count++
    else {
      this.#counts.delete(name)
      this.#counts.set(name, { count: 1, since: this.#now().getTime() })
    }
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MAX_ADDRESSES) break
      this.#counts.delete(oldest)
    }
  }

  #countOf(kind: Kind, address: string): number {
    const known = this.#counts.get(nameOf(kind, address))
    return known && this.#now().getTime() - known.since < WINDOW_MS ? known.count : 0
  }
}

/** A customer has a whole /64 of IPv6. */
function nameOf(kind: Kind, address: string): string {
  const network = address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
  return `${kind} ${network}`
}
