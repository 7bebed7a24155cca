/**
 * A finalizer is not called where the C stack has no room for it.
 *
 * It would fail with "C stack overflow" through no fault of its own, and it has only this one chance: a
 * file or lock that it should release stays as it is.
 */
import type { LuaFix } from '../lua-fixes.ts'
import { requireForFinalizers } from './finalizer-condition.ts'

/** C calls that may nest; two are for the finalizer and a function that it calls. */
const MAX_C_CALLS = 200
const NEEDED_C_CALLS = 2

// The lower half of the word at 96 of a thread is the number of its C calls.
const CHECK = `(func $has_c_stack (param $L i32) (result i32)
  (i32.lt_u (i32.load16_u offset=96 (local.get $L)) (i32.const ${MAX_C_CALLS - NEEDED_C_CALLS})))`

export const finalizerCStack: LuaFix = {
  name: 'a finalizer waits until the C stack has room',
  commit: 'a5522f06',
  release: '5.5.0',
  apply(module) {
    module.add(CHECK)
    requireForFinalizers(module, '$has_c_stack')
  },
}
