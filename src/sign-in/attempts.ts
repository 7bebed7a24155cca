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

  /**
   * Call it before the attempt: others are made meanwhile.
   *
   * @throws {AppError} `rate_limited` if there were too many before; then it is not counted.
   */
  count(kind: Kind, address: string): void {
    const name = nameOf(kind, address)
    const count = this.#countOf(name)
    if (count >= MOST[kind]) {
      throw new AppError('rate_limited', 'Too many attempts. Try again in a minute.')
    }
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

  /** An attempt that was right after all. */
  forget(kind: Kind, address: string): void {
    const known = this.#counts.get(nameOf(kind, address))
    if (known && known.count > 0) known.count--
  }

  #countOf(name: string): number {
    const known = this.#counts.get(name)
    return known && this.#now().getTime() - known.since < WINDOW_MS ? known.count : 0
  }
}

function nameOf(kind: Kind, address: string): string {
  return `${kind} ${networkOf(address)}`
}

/** A customer has a whole /64 of IPv6, whose zeros may be left out. */
function networkOf(address: string): string {
  const [start = '', end] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('::')
  const before = start.split(':')
  const after = end?.split(':') ?? []
  if (before.length + after.length === 1) return address
  const left = Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array.from({ length: left }, () => '0'), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16) || 0)
    .join(':')
}
