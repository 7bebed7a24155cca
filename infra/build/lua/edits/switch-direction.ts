/** Writing after reading without a seek continues where reading stopped. */
import type { Edit } from '../wat.ts'

// FILE: rpos at 4, rend at 8, seek at 40. The stock code clears both positions in one store.
const FORGET_READ_AHEAD = '(i64.store offset=4 align=4 (local.get $0) (i64.const 0))'
const STEP_BACK = `(if (i32.ne (i32.load offset=4 (local.get $0)) (i32.load offset=8 (local.get $0)))
  (then
   (drop
    (call_indirect (param i32 i64 i32) (result i64)
     (local.get $0)
     (i64.extend_i32_s
      (i32.sub (i32.load offset=4 (local.get $0)) (i32.load offset=8 (local.get $0))))
     (i32.const 1)
     (i32.load offset=40 (local.get $0))))))`

/**
 * Undefined in C. glibc, and so native Lua on Linux, behaves like this; musl discards the bytes it
 * has read ahead and writes after them.
 */
export const switchDirection: Edit = {
  name: 'writing goes on where reading stopped',
  apply(module) {
    module.replaceIn('$__towrite', FORGET_READ_AHEAD, 1, `${STEP_BACK} ${FORGET_READ_AHEAD}`)
  },
}
