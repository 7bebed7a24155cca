/** Reports the definition of a function over a constant at the function's name. */
import type { LuaFix } from '../lua-fixes.ts'
import { replaceExactly } from '../wat.ts'

// $0 is the LexState, $3 the frame with the function's value at 160, $6 the line. Between the two
// parts of the call is the expression for whether it is a method.
const VALUE = '(i32.add (local.get $3) (i32.const 160))'
const CALL_START = `(call $body (local.get $0) (local.tee $7 ${VALUE}) (if `
const CALL_END =
  '(else (i32.const 0))) (local.get $6)) (local.set $1 (i32.load offset=48 (local.get $0))) (br_table'
const LATER_CALL = `(call $body (local.get $0) ${VALUE} (local.get $is_method) (local.get $6))`
/** Reached only if the variable is not a constant. */
const STORE = `(call $luaK_storevar (local.get $1) (i32.add (local.get $3) (i32.const 136)) ${VALUE})`

/**
 * Stock Lua checks that the variable is assignable only after compiling the body, so the error
 * names the line of its end, which may be far away.
 */
export const constantFunctionLine: LuaFix = {
  name: 'a function over a constant is refused before its body',
  commit: '7dc6aae2',
  release: '5.5.0',
  apply(module) {
    module.editFunction('$statement', (stock) => {
      let text = replaceExactly(stock, '(param $0 i32)', 1, '(param $0 i32) (local $is_method i32)')
      text = replaceExactly(
        text,
        CALL_START,
        1,
        `(local.set $7 ${VALUE}) (local.set $is_method (if `,
      )
      text = replaceExactly(text, CALL_END, 1, CALL_END.replace(' (local.get $6)', ''))
      return replaceExactly(text, STORE, 1, `${LATER_CALL} ${STORE}`)
    })
  },
}
