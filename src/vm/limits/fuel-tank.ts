/**
 * A VM's fuel, handed out in slices. The module counts `fuel` down. Below zero the interpreter asks
 * for the next slice; other code continues, but not below `bottom`: zero minus what the run has
 * left beyond the slice.
 */
import { FUEL_PER_SECOND } from '../../limits.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { LuaExports } from '../lua-exports.ts'
import { Killed } from '../script-error.ts'

/** Slices depend on fuel alone, so that a script always uses the same amount. */
const SLICE = FUEL_PER_SECOND / 160
/**
 * Without a running clock, pauses after this many slices, about 50 ms; then re-enters the script.
 */
const SLICES = 8
/** Longest time slice before yielding. */
const MAX_WORK_MS = 50
/** Sum of all scripts' time slices; an incoming request waits for one round. */
const TURN_MS = 120
const COPIED_BYTES_PER_UNIT = 8
/** Work of the host between two yields, about 40 ms. */
const WORK_BETWEEN_YIELDS = FUEL_PER_SECOND / 25
/** For flushing buffers after a kill; the C library needs a fraction of it. */
const CLEAN_UP = 100_000_000n

/** @param used All of it. */
export function outOfFuel(used: number): string {
  return `out of fuel: the script used all of its ${used} units`
}

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
  #work = 0

  constructor(lua: LuaExports, budget: number, slice = SLICE) {
    this.#lua = lua
    this.#budget = BigInt(budget)
    this.#slice = BigInt(slice)
    lua.budget.value = this.#budget
    this.#fill(this.#budget)
  }

  /** Never more than the budget. */
  get used(): number {
    const left = this.#left
    return Number(left < 0n ? this.#budget : this.#budget - left)
  }

  get isEmpty(): boolean {
    return this.#left < 0n
  }

  /** Charges host work; if overspent, the script ends at its next step. */
  spend(units: number): void {
    this.#lua.fuel.value -= BigInt(units)
  }

  /** Copying costs the same as inside the VM. */
  spendCopy(bytes: number): void {
    this.spend(Math.ceil(bytes / COPIED_BYTES_PER_UNIT))
  }

  /** Charges a part of the host's work during a wait. @throws {Killed} if the fuel is spent. */
  work(units: number): MaybePromise<void> {
    this.spend(units)
    if (this.isEmpty) throw new Killed('fuel', outOfFuel(this.used))
    this.#work += units
    if (this.#work < WORK_BETWEEN_YIELDS) return undefined
    this.#work = 0
    return new Promise((resolve) => setTimeout(resolve, 0))
  }

  /** From 0 to 1. */
  get leftShare(): number {
    return 1 - this.used / Number(this.#budget)
  }

  startSlice(): void {
    const now = Date.now()
    if (now > this.#lookedAt) this.#isTimed = true
    this.#lookedAt = now
    this.#slices++
    this.#fill(this.#left)
  }

  /** Whether to yield. If clocks stand still during work, fuel alone decides. */
  get isPauseDue(): boolean {
    if (Date.now() - this.#since >= this.#shareMs) return true
    return !this.#isTimed && this.#slices - this.#slicesAtPause >= SLICES
  }

  /** Call after a wait: every clock advances during one, even if it is frozen during work. */
  hasWaited(): void {
    this.#lookedAt = Date.now()
  }

  /** Whether to re-enter the interpreter, to run code optimised meanwhile. */
  get isEntryDue(): boolean {
    return this.#slices % SLICES === 0
  }

  /** Records a pause since `from`. The longer it was relative to the work, the busier the host. */
  pausedSince(from: number): void {
    const now = Date.now()
    const workMs = Math.max(1, from - this.#since)
    this.#shareMs = Math.min(MAX_WORK_MS, (TURN_MS * workMs) / (workMs + now - from))
    this.#since = now
    this.#lookedAt = now
    this.#slicesAtPause = this.#slices
  }

  /** Lets the module run once more after its fuel is spent. */
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
