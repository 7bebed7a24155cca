/** Starts each match of a `string.gmatch` iterator with the full recursion depth. */
import type { LuaFix } from '../lua-fixes.ts'

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
    module.replaceIn(
      '$gmatch_aux',
      START_OF_MATCH,
      1,
      `${START_OF_MATCH} (i32.store offset=28 (local.get $1) (i32.const ${MAX_DEPTH}))`,
    )
  },
}
