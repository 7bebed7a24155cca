/**
 * The host's view of a VM's fuel, which is handed out in slices.
 *
 * The module counts `fuel` down. Below zero the interpreter asks for the next slice; everything else goes on,
 * but not below `bottom`, which is zero less what the run still has beyond the slice.
 */
import { FUEL_PER_SECOND } from '../limits.ts'
import type { LuaExports } from './lua-exports.ts'

/** Between two looks at deadline and client a script computes so long, or what usually takes so long. */
const SLICE_MS = 50
/** So long may it take until everybody had a slice: a request that comes in has to wait for that. */
const TURN_MS = 200
const MAX_SLICE = (FUEL_PER_SECOND * SLICE_MS) / 1000
/** Handing out a slice takes about a millisecond: shorter ones would be mostly that. */
const MIN_SLICE = MAX_SLICE / 16
/** For writing out buffers after a kill; the C library needs a fraction of it. */
const CLEAN_UP = 100_000_000n

export class FuelTank {
  readonly #lua: LuaExports
  readonly #budget: bigint
  #slice = MAX_SLICE
  #since = Date.now()
  #waitedMs = 0

  constructor(lua: LuaExports, budget: number) {
    this.#lua = lua
    this.#budget = BigInt(budget)
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

  /**
   * The next one is as long as the last should have been, and shorter while others run as well, which the last
   * wait tells. Where clocks stand still during work nothing seems to take any time.
   */
  startSlice(): void {
    const ms = Math.max(1, Date.now() - this.#since)
    const shareMs = Math.min(SLICE_MS, (TURN_MS * ms) / (ms + this.#waitedMs))
    this.#slice = Math.min(Math.max((this.#slice * shareMs) / ms, MIN_SLICE), MAX_SLICE)
    this.#fill(this.#left)
  }

  /** Told of a wait that is over, which was no work of the script. */
  waited(ms: number): void {
    this.#waitedMs = ms
    this.#since = Date.now()
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
    const whole = BigInt(Math.ceil(this.#slice))
    const slice = left < whole ? left : whole
    this.#lua.fuel.value = slice
    this.#lua.bottom.value = slice - left
  }
}
