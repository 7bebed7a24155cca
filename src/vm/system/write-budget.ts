/**
 * The limit on bytes written, exact to the byte although C buffers.
 *
 * Writing spends a credit inside the VM at no cost. When it runs out the host flushes, counts what
 * really arrived and what the call at hand needs, and either raises or gives new credit: not all that
 * is left, because the files of a run take memory that all runs share.
 */
import { TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { LimitReached } from '../raise.ts'
import type { LuaMemory } from '../strings.ts'

/** So much is written by most scripts at most, without asking the host at all. */
const FIRST_CREDIT = 64 * 1024
const CREDIT = 1024 * 1024

/** Of one run, over all of its files. */
export class WriteBudget {
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #maxBytes: number
  #writtenBytes = 0

  constructor(lua: LuaExports, memory: LuaMemory, maxBytes: number) {
    this.#lua = lua
    this.#memory = memory
    this.#maxBytes = maxBytes
    lua.credit.value = BigInt(Math.min(maxBytes, FIRST_CREDIT))
  }

  /** What may be written before the host is asked again. */
  get creditBytes(): number {
    return Number(this.#lua.credit.value)
  }

  /** Told of bytes that reached a file. */
  count(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** Raises unless a `write` of the arguments `first` to `last` fits; answers how much credit it should have. */
  creditFor(L: Pointer, first: number, last: number): number {
    let bytes = 0
    for (let i = first; i <= last; i++) bytes += this.#lengthOf(L, i)
    return Math.max(bytes, Math.min(CREDIT, this.assertFits(bytes)))
  }

  /** In place of what there was. */
  giveCredit(bytes: number): void {
    this.#lua.credit.value = BigInt(bytes)
  }

  /** Raises unless so many bytes fit; answers how many would. Afterwards there is no credit. */
  assertFits(bytes: number): number {
    this.#lua.fflush(0)
    this.giveCredit(0)
    const left = this.#maxBytes - this.#writtenBytes
    if (bytes > left) throw new LimitReached(`I/O write limit exceeded (${this.#maxBytes} bytes)`)
    return left
  }

  /** What `write` makes of an argument; what it cannot write it refuses by itself. */
  #lengthOf(L: Pointer, index: number): number {
    const type = this.#lua.lua_type(L, index)
    if (type === TYPE.string) return this.#memory.stringAt(L, index).length
    if (type !== TYPE.number) return 0
    // On a copy: reading a number as a string changes it on the stack.
    this.#lua.lua_pushvalue(L, index)
    const text = this.#memory.stringAt(L, -1)
    const length = text.length
    // `write` prints floats by "%.14g", without the ".0" that marks an integral float elsewhere.
    const isMarked = length > 2 && text[length - 2] === 0x2e && text[length - 1] === 0x30
    this.#lua.lua_settop(L, -2)
    return isMarked && !this.#lua.lua_isinteger(L, index) ? length - 2 : length
  }
}
