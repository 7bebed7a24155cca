/** Fixes of strings. */
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
    const room = `(i32.sub (i32.const ${-1 - TSTRING_BYTES}) (local.get $4))`
    module.replaceIn('$luaV_concat', ROOM_LEFT, room)
  },
}

// $7 is the count; the lengths of the separator and the string are in the frame, $1.
const NO_REPETITION = '(i64.le_s (local.get $7) (i64.const 0))'
const BOTH_EMPTY =
  '(i32.eqz (i32.or (i32.load offset=536 (local.get $1)) (i32.load offset=540 (local.get $1))))'

/** Stock Lua loops n times and copies nothing, so that a large n uses up the run's fuel. */
export const emptyRepetition: LuaFix = {
  name: 'an empty string is repeated at once',
  commit: '5cfc725a',
  release: 'master',
  apply(module) {
    module.replaceIn('$str_rep', NO_REPETITION, `(i32.or ${NO_REPETITION} ${BOTH_EMPTY})`)
  },
}

// MatchState: matchdepth at 28, level (captures) at 32.
const START_OF_MATCH = '(i32.store8 offset=32 (local.get $1) (i32.const 0))'
const MAX_DEPTH = 200

/**
 * The remaining depth is part of the iterator's state. "pattern too complex" leaves it below zero,
 * and the next call would recurse without a limit, past the end of the C stack.
 */
export const gmatchDepth: LuaFix = {
  name: 'an iterator of gmatch starts each match with the full depth',
  commit: 'efddc230',
  release: 'master',
  apply(module) {
    const resetDepth = `(i32.store offset=28 (local.get $1) (i32.const ${MAX_DEPTH}))`
    module.replaceIn('$gmatch_aux', START_OF_MATCH, `${START_OF_MATCH} ${resetDepth}`)
  },
}
