/** What a tenant uses in a day, by marks alone: they are never counted anew. */
import type { AreaStore } from '../store/area-store.ts'
import { NOTHING, type Amount } from './amount.ts'
import { MarkFolder } from './mark-folder.ts'
import { reserve } from './reserve.ts'

/** A listing has pages of 1,000 entries, and must take a single request. */
const MAX_MARKS = 500

export interface DailyUsageOptions {
  /** Of what the tenant has used. */
  readonly store: AreaStore
  readonly kind: 'runs' | 'api-bytes'
  /** Such as `2026-11-17`, in UTC. */
  readonly day: string
  readonly allowed: number
  readonly signal?: AbortSignal | undefined
  readonly refusal: (used: number) => Error
}

export class DailyUsage {
  readonly #options: DailyUsageOptions
  readonly #folder: MarkFolder

  constructor(options: DailyUsageOptions) {
    this.#options = options
    this.#folder = new MarkFolder(options.store, `${options.kind}/${options.day}`)
  }

  /**
   * Takes more than needed where the quota is large, which counts as used.
   *
   * @returns How much was taken. @throws what `refusal` makes.
   */
  async take(need: number): Promise<number> {
    const { allowed, refusal, signal } = this.#options
    const { mark } = await reserve(
      {
        folder: this.#folder,
        allowed: { bytes: allowed, objects: Infinity },
        refusal: (_, { bytes }) => refusal(bytes),
        signal,
      },
      amountOf(need),
      amountOf(Math.ceil(allowed / MAX_MARKS)),
    )
    return mark.amount.bytes
  }

  /** @throws what `refusal` makes. */
  assertWithin(used: number): void {
    if (used > this.#options.allowed) throw this.#options.refusal(used)
  }

  async used(): Promise<number> {
    return (await this.#folder.read()).total.bytes
  }
}

function amountOf(bytes: number): Amount {
  return { ...NOTHING, bytes }
}
