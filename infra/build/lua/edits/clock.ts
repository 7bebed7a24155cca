/** `os.clock` counts fuel as seconds: deployed Workers stop the clock during computation. */
import { FUEL_PER_SECOND } from '../../../../src/limits.ts'
import type { Edit } from '../wat.ts'

export const clock: Edit = {
  name: 'os.clock counts fuel',
  apply(module) {
    module.add('(global $budget (export "budget") (mut i64) (i64.const 0))')
    module.replace(
      '(func $os_clock ',
      `(func $os_clock (param $L i32) (result i32)
        (call $lua_pushnumber (local.get $L)
         (f64.div (f64.convert_i64_s (i64.sub (global.get $budget) (i64.sub (global.get $fuel) (global.get $bottom))))
          (f64.const ${FUEL_PER_SECOND})))
        (i32.const 1))`,
    )
  },
}
