/** `string.rep` of an empty string without a separator returns at once. */
import type { LuaFix } from '../lua-fixes.ts'

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
    module.replaceIn('$str_rep', NO_REPETITION, 1, `(i32.or ${NO_REPETITION} ${BOTH_EMPTY})`)
  },
}
