/** Takes room at the store for the writes of one run or request, a few marks for all of them. */
import { QuotaExceeded } from '../../errors.ts'
import { oneAtATime } from '../../lib/parallel.ts'
import { isWithin, lacking, larger, NOTHING, sum, type Amount } from './amount.ts'
import type { Reserved, StoredUsage } from './stored-usage.ts'

const MIB = 1024 * 1024
/** For a stream whose length is unknown: most are short. */
const FIRST_STEP_BYTES = MIB
/** Thousands of files must not ask one by one. */
const REFUSED_MS = 60_000
const STEP: Amount = { bytes: 64 * MIB, objects: 64 }

interface StorageMeterOptions {
  /** Whether each write is followed by no other: its mark is settled at once. */
  readonly isSingle?: boolean | undefined
  /** Counts without refusing, for putting back what was there. */
  readonly isUnlimited?: boolean | undefined
}

export class StorageMeter {
  /** What the owner will store, as far as it knows: one mark covers it. */
  pending: () => Amount = () => NOTHING
  readonly #usage: StoredUsage
  readonly #options: StorageMeterOptions
  readonly #inTurn = oneAtATime()
  #free = NOTHING
  #reserved = NOTHING
  #marks: Reserved[] = []
  #writes = 0
  #isUnclear = false
  #refused: { readonly need: Amount; readonly error: QuotaExceeded; at: number } | undefined

  constructor(usage: StoredUsage, options: StorageMeterOptions = {}) {
    this.#usage = usage
    this.#options = options
  }

  /** Why something was not stored. */
  get refusal(): string | undefined {
    return this.#refused?.error.message
  }

  /** Whether that was lately: later there may be room again. */
  get isFull(): boolean {
    return this.#refused !== undefined && Date.now() - this.#refused.at < REFUSED_MS
  }

  unlimited(): StorageMeter {
    return new StorageMeter(this.#usage, { ...this.#options, isUnlimited: true })
  }

  /**
   * Must precede each write, and {@link ended} follow it.
   *
   * @param isStream More may follow.
   * @throws {QuotaExceeded}
   */
  take(amount: Amount, isStream = false): Promise<void> {
    return this.#inTurn(async () => {
      const missing = lacking(amount, this.#free)
      if (!isWithin(missing, NOTHING)) await this.#reserve(missing, isStream)
      this.#free = lacking(this.#free, amount)
      this.#writes++
    })
  }

  /** Takes what the last mark has to spare, for a stream that goes on. */
  takeFree(): Amount {
    const free = this.#free
    this.#free = NOTHING
    return free
  }

  /** Gives back what was taken and not used. */
  give(amount: Amount): void {
    this.#free = sum(this.#free, amount)
  }

  /** @param isClear Whether it is known what the store did. */
  async ended(isClear: boolean): Promise<void> {
    this.#writes--
    this.#isUnclear ||= !isClear
    if (this.#options.isSingle && this.#writes === 0) await this.settle()
  }

  /** Call when nothing more will be written. Never rejects: then it counts longer. */
  async settle(): Promise<void> {
    const marks = this.#marks
    this.#marks = []
    this.#free = NOTHING
    if (!this.#isUnclear) await this.#usage.settle(marks).catch(() => undefined)
  }

  async #reserve(missing: Amount, isStream: boolean): Promise<void> {
    const refused = this.#refused
    if (refused && this.isFull && isWithin(refused.need, missing)) throw refused.error
    try {
      const mark = await this.#mark(missing, isStream)
      this.#free = sum(this.#free, mark.amount)
      this.#reserved = sum(this.#reserved, mark.amount)
      this.#marks.push(mark)
    } catch (error) {
      if (error instanceof QuotaExceeded) {
        this.#refused = { need: missing, error, at: Date.now() }
      }
      throw error
    }
  }

  async #mark(missing: Amount, isStream: boolean): Promise<Reserved> {
    if (!this.#options.isUnlimited) {
      return this.#usage.reserve(missing, larger(missing, this.#wanted(missing, isStream)))
    }
    return { ...(await this.#usage.announce(missing)), isTight: true }
  }

  /** As much again as before, so that a loop of writes takes few marks. */
  #wanted(missing: Amount, isStream: boolean): Amount {
    const known = lacking(this.pending(), this.#free)
    const isFirst = this.#reserved.bytes === 0
    const bytes = isStream
      ? isFirst
        ? FIRST_STEP_BYTES
        : STEP.bytes
      : Math.max(known.bytes, Math.min(this.#reserved.bytes, STEP.bytes))
    const objects = Math.max(known.objects, Math.min(this.#reserved.objects, STEP.objects))
    return {
      bytes: missing.bytes > 0 ? bytes : 0,
      objects: missing.objects > 0 ? objects : 0,
    }
  }
}
