/**
 * A concatenation whose result is too long for an address is refused.
 *
 * Stock Lua checks that the sum of the lengths fits in 32 bits, but not that the string's header does
 * too. Close to the limit the size to allocate wraps around to a few bytes, and gigabytes are copied
 * over the heap. One string of 22 MB, named 190 times, is enough.
 */
import type { LuaFix } from '../lua-fixes.ts'

/** The size of a string's header and the zero byte after its text, rounded up. */
const TSTRING_BYTES = 20

// The local $4 is the sum so far; what is left below the largest size is its complement.
const ROOM_LEFT = '(i32.xor (local.get $4) (i32.const -1))'

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
