/** Refuses a concatenation too long for the address space. */
import type { LuaFix } from '../lua-fixes.ts'

/** A string's header and terminating NUL, rounded up. */
const TSTRING_BYTES = 20

// The local $4 is the sum so far; its complement is what remains below the maximum.
const ROOM_LEFT = '(i32.xor (local.get $4) (i32.const -1))'

/**
 * Stock Lua checks that the sum of the lengths fits in 32 bits, but ignores the string's header.
 * Near the limit the allocation size wraps around to a few bytes, and gigabytes are copied over the
 * heap. Repeating one 22 MB string 190 times is enough.
 */
export const concatOverflow: LuaFix = {
  name: 'the length of a concatenation leaves room for the header',
  commit: '5853c37a',
  release: '5.4.7',
  apply(module) {
    module.replaceIn(
      '$luaV_concat',
      ROOM_LEFT,
      1,
      `(i32.sub (i32.const ${-1 - TSTRING_BYTES}) (local.get $4))`,
    )
  },
}
