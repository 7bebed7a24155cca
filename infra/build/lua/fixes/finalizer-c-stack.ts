/** Delays a finalizer until the C stack has room for it. */
import type { LuaFix } from '../lua-fixes.ts'
import { requireForFinalizers } from './finalizer-condition.ts'

/** Limit on nested C calls; two are for the finalizer and a function that it calls. */
const MAX_C_CALLS = 200
const NEEDED_C_CALLS = 2

// lua_State: nCcalls at 96; the low half counts C calls.
const CHECK = `(func $has_c_stack (param $L i32) (result i32)
  (i32.lt_u (i32.load16_u offset=96 (local.get $L)) (i32.const ${MAX_C_CALLS - NEEDED_C_CALLS})))`

/**
 * A finalizer runs only once. If it failed with "C stack overflow", the file or lock that it should
 * release would stay open.
 */
export const finalizerCStack: LuaFix = {
  name: 'a finalizer waits until the C stack has room',
  commit: 'a5522f06',
  release: '5.5.0',
  apply(module) {
    module.add(CHECK)
    requireForFinalizers(module, '$has_c_stack')
  },
}
