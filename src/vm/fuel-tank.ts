/**
 * The host's view of a VM's fuel, which is handed out in slices.
 *
 * The module counts `fuel` down. Below zero the interpreter asks for the next slice; everything else goes on,
 * but not below `bottom`, which is zero less what the run still has beyond the slice.
 */
import { FUEL_PER_SECOND } from '../limits.ts'
import type { LuaExports } from './lua-exports.ts'

/** Between two looks at deadline and client a script computes so much: about a tenth of a second. */
const SLICE = BigInt(FUEL_PER_SECOND / 10)
/** For writing out buffers after a kill; the C library needs a fraction of it. */
const CLEAN_UP = 100_000_000n

export class FuelTank {
  readonly #lua: LuaExports
  readonly #budget: bigint

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

  startSlice(): void {
    this.#fill(this.#left)
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
    const slice = left < SLICE ? left : SLICE
    this.#lua.fuel.value = slice
    this.#lua.bottom.value = slice - left
  }
}
