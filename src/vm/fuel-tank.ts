/**
 * The host's view of a VM's fuel, which is handed out in slices.
 *
 * The module counts `fuel` down. Below zero the interpreter asks for the next slice; everything else goes on,
 * but not below `bottom`, which is zero less what the run still has beyond the slice.
 */
import { FUEL_PER_SECOND } from '../limits.ts'
import type { LuaExports } from './lua-exports.ts'

/** How often the module asks. Slices depend on fuel alone, so that a script always uses the same. */
const SLICE = FUEL_PER_SECOND / 160
/** Where no clock runs, a pause after so many: about 50 ms. After as many the script is entered anew. */
const SLICES = 8
/** A script works at most so long until it lets others work. */
const MAX_WORK_MS = 50
/** The shares of all scripts add up to about this; a request that comes in waits for one round. */
const TURN_MS = 120
/** For writing out buffers after a kill; the C library needs a fraction of it. */
const CLEAN_UP = 100_000_000n

export class FuelTank {
  readonly #lua: LuaExports
  readonly #budget: bigint
  readonly #slice: bigint
  #slices = 0
  #slicesAtPause = 0
  #since = Date.now()
  #shareMs = MAX_WORK_MS
  #lookedAt = this.#since
  #isTimed = false

  constructor(lua: LuaExports, budget: number, slice = SLICE) {
    this.#lua = lua
    this.#budget = BigInt(budget)
    this.#slice = BigInt(slice)
    lua.budget.value = this.#budget
    this.#fill(this.#budget)
  }

  /** Units spent so far, never more than the budget. */
  get used(): number {
    const left = this.#left
    return Number(left < 0n ? this.#budget : this.#budget - left)
  }

  get isEmpty(): boolean {
    return this.#left < 0n
  }

  /** For work that the host does: if it was too much, the script ends at its next step. */
  spend(units: number): void {
    this.#lua.fuel.value -= BigInt(units)
  }

  startSlice(): void {
    const now = Date.now()
    if (now > this.#lookedAt) this.#isTimed = true
    this.#lookedAt = now
    this.#slices++
    this.#fill(this.#left)
  }

  /** Whether it is time for others. Where clocks stand still during work, fuel alone tells. */
  get isPauseDue(): boolean {
    if (Date.now() - this.#since >= this.#shareMs) return true
    return !this.#isTimed && this.#slices - this.#slicesAtPause >= SLICES
  }

  /** Call after a wait: any clock moves during one, which does not mean that it runs during work. */
  hasWaited(): void {
    this.#lookedAt = Date.now()
  }

  /** Whether the interpreter should be entered anew, into code that was optimised meanwhile. */
  get isEntryDue(): boolean {
    return this.#slices % SLICES === 0
  }

  /** Told of a pause that began at `from`. The longer it was beside the work before it, the more others there are. */
  pausedSince(from: number): void {
    const now = Date.now()
    const workMs = Math.max(1, from - this.#since)
    this.#shareMs = Math.min(MAX_WORK_MS, (TURN_MS * workMs) / (workMs + now - from))
    this.#since = now
    this.#lookedAt = now
    this.#slicesAtPause = this.#slices
  }

  /** Lets the module work once more, whatever the script has spent. */
  lend(work: () => void): void {
    const left = this.#left
    this.#lua.bottom.value = 0n
    this.#lua.fuel.value = CLEAN_UP
    try {
      work()
    } finally {
      this.#fill(left)
    }
  }

  get #left(): bigint {
    return this.#lua.fuel.value - this.#lua.bottom.value
  }

  #fill(left: bigint): void {
    const slice = left < this.#slice ? left : this.#slice
    this.#lua.fuel.value = slice
    this.#lua.bottom.value = slice - left
  }
}
