/** Fixes an overflow in large collector steps. */
import type { LuaFix } from '../lua-fixes.ts'

// global_State, $3 in lua_gc and $1 in luaC_step: GCdebt at 12. In lua_gc, $2 is n.
const DEBT = '(i32.add (i32.load offset=12 (local.get $3)) (i32.shl (local.get $2) (i32.const 10)))'
const WIDE_DEBT =
  '(i64.add (i64.load32_s offset=12 (local.get $3)) (i64.shl (i64.extend_i32_s (local.get $2)) (i64.const 10)))'
// Work is the step multiplier, $3 from here on, times the debt in units of 16 bytes.
const MULTIPLIER =
  '(local.tee $3 (i32.or (i32.shl (i32.load8_u offset=85 (local.get $1)) (i32.const 2)) (i32.const 1)))'
const UNITS = '(i32.shr_u (i32.load offset=12 (local.get $1)) (i32.const 4))'
const WORK = `(i32.mul ${MULTIPLIER} ${UNITS})`
const WIDE_WORK = `(i64.mul (i64.extend_i32_u ${MULTIPLIER}) (i64.extend_i32_u ${UNITS}))`

const SATURATE = `(func $saturate (param $value i64) (result i32)
  (if (i64.gt_s (local.get $value) (i64.const 0x7fffffff)) (then (return (i32.const 0x7fffffff))))
  (if (i64.lt_s (local.get $value) (i64.const -0x7fffffff)) (then (return (i32.const -0x7fffffff))))
  (i32.wrap_i64 (local.get $value)))`

/**
 * `collectgarbage("step", n)` converts kilobytes to bytes and bytes to work. In 32 bits both
 * overflow for large n: the debt becomes negative, and the collector stops instead of running.
 */
export const largeStep: LuaFix = {
  name: 'a large step of the collector does not overflow',
  commit: '632a71b2',
  release: 'master',
  apply(module) {
    module.add(SATURATE)
    module.replaceIn('$lua_gc', DEBT, 1, `(call $saturate ${WIDE_DEBT})`)
    module.replaceIn('$luaC_step', WORK, 1, `(call $saturate ${WIDE_WORK})`)
  },
}
