/**
 * `t[a < b]` indexes `t`.
 *
 * Where `t` is a local of an enclosing function, stock Lua emits the code that loads it after the
 * comparison, which is still a pending jump then. If the comparison is true, it jumps over the load:
 * the script indexes whatever the register held, which may silently be another table.
 */
import type { LuaFix } from '../lua-fixes.ts'

// expdesc: kind at 0; jumps taken when true at 16, when false at 20.
const HAS_JUMPS = '(i32.ne (i32.load offset=16 (local.get $1)) (i32.load offset=20 (local.get $1)))'
/** The kind of an expression that is itself a jump. */
const VJMP = 16

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
