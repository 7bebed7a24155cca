/**
 * The exact limit on bytes written, although C buffers. Writes spend a credit inside the VM at no
 * cost. When it runs out, the host flushes, counts what arrived and what the call needs, and raises
 * or grants new credit: not all that is left, because files take memory that runs share.
 */
import { TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { LimitReached } from '../script-error.ts'
import type { LuaMemory } from '../strings.ts'

/** Most scripts write less, and so never ask the host. */
const FIRST_CREDIT = 64 * 1024
const CREDIT = 1024 * 1024

/** Per run, over all files. */
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

  /** Credit before the host is asked again. */
  get creditBytes(): number {
    return Number(this.#lua.credit.value)
  }

  /** Counts bytes that reached a file. */
  count(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** Raises unless a `write` of arguments `first` to `last` fits; returns the credit needed. */
  creditFor(L: Pointer, first: number, last: number): number {
    let bytes = 0
    for (let i = first; i <= last; i++) bytes += this.#lengthOf(L, i)
    return Math.max(bytes, Math.min(CREDIT, this.assertFits(bytes)))
  }

  /** Replaces the credit. */
  giveCredit(bytes: number): void {
    this.#lua.credit.value = BigInt(bytes)
  }

  /** Raises unless this many bytes fit; returns how many would. Resets the credit. */
  assertFits(bytes: number): number {
    this.#lua.fflush(0)
    this.giveCredit(0)
    const left = this.#maxBytes - this.#writtenBytes
    if (bytes > left) throw new LimitReached(`I/O write limit exceeded (${this.#maxBytes} bytes)`)
    return left
  }

  /** The length `write` gives an argument; it rejects bad ones itself. */
  #lengthOf(L: Pointer, index: number): number {
    const type = this.#lua.lua_type(L, index)
    if (type === TYPE.string) return this.#memory.stringAt(L, index).length
    if (type !== TYPE.number) return 0
    // On a copy: converting a number changes it on the stack.
    this.#lua.lua_pushvalue(L, index)
    const text = this.#memory.stringAt(L, -1)
    const length = text.length
    // `write` formats floats by "%.14g", without ".0".
    const isMarked = length > 2 && text[length - 2] === 0x2e && text[length - 1] === 0x30
    this.#lua.lua_settop(L, -2)
    return isMarked && !this.#lua.lua_isinteger(L, index) ? length - 2 : length
  }
}
