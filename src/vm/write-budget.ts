/**
 * The limit on bytes written, exact to the byte although C buffers.
 *
 * Writing spends a credit inside the VM at no cost. When it runs out the host flushes, counts what
 * really arrived and what the call at hand needs, and either raises or gives new credit.
 */
import { TYPE, type LuaExports, type Pointer } from './lua-exports.ts'
import { LimitReached } from './raise.ts'
import type { LuaMemory } from './strings.ts'

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
    lua.credit.value = BigInt(maxBytes)
  }

  /** Told of bytes that reached a file. */
  count(bytes: number): void {
    this.#writtenBytes += bytes
  }

  /** Raises unless a `write` of the arguments `first` to `last` fits; then there is credit. Leaves no results. */
  spend(L: Pointer, first: number, last: number): number {
    let bytes = 0
    for (let i = first; i <= last; i++) bytes += this.#lengthOf(L, i)
    this.reserve(bytes)
    return 0
  }

  /** Raises unless so many bytes fit. */
  reserve(bytes: number): void {
    this.#lua.fflush(0)
    const left = this.#maxBytes - this.#writtenBytes
    if (bytes > left) throw new LimitReached(`I/O write limit exceeded (${this.#maxBytes} bytes)`)
    this.#lua.credit.value = BigInt(left)
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
