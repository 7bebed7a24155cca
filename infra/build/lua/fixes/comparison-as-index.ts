/** Makes `t[a < b]` index `t`. */
import type { LuaFix } from '../lua-fixes.ts'

// expdesc: kind at 0; jumps taken when true at 16, when false at 20.
const HAS_JUMPS = '(i32.ne (i32.load offset=16 (local.get $1)) (i32.load offset=20 (local.get $1)))'
/** Kind of an expression that is a pending jump. */
const VJMP = 16

/**
 * If `t` is an upvalue, stock Lua emits the code that loads it after the comparison, which is still
 * a pending jump. A true comparison jumps over the load: the script indexes whatever was in the
 * register, which may silently be another table.
 */
export const comparisonAsIndex: LuaFix = {
  name: 'a comparison used as an index is put into a register first',
  commit: '782ef85b',
  release: '5.4.8',
  apply(module) {
    module.replaceIn(
      '$luaK_exp2val',
      HAS_JUMPS,
      1,
      `(i32.or (i32.eq (i32.load (local.get $1)) (i32.const ${VJMP})) ${HAS_JUMPS})`,
    )
  },
}
