/** Reports `//` and `%` by integer zero at their own line. */
import type { LuaFix } from '../lua-fixes.ts'
import { replaceExactly } from '../wat.ts'

const MESSAGES = { "attempt to perform 'n%%0'": 8806, 'attempt to divide by zero': 3110 }

// In the interpreter, $0 is the lua_State (top at 12), $7 the CallInfo (top at 4, savedpc at 16)
// and $3 the next instruction.
const SAVE_STATE = `(i32.store offset=16 (local.get $7) (local.get $3)) (i32.store offset=12 (local.get $0) (i32.load offset=4 (local.get $7)))`

/**
 * The error takes its line from the saved instruction pointer, which the interpreter does not
 * update before these instructions. It is saved only where the error is raised, so that division
 * costs no more.
 */
export const zeroDivisorLine: LuaFix = {
  name: 'division by zero is reported at its line',
  commit: '02bab9fc',
  release: '5.4.5',
  apply(module) {
    module.editFunction('$luaV_execute', (stock) => {
      let text = stock
      for (const message of Object.values(MESSAGES)) {
        const raise = `(call $luaG_runerror (local.get $0) (i32.const ${message}) (i32.const 0))`
        // Once for a register, once for a constant divisor.
        text = replaceExactly(text, raise, 2, `${SAVE_STATE} ${raise}`)
      }
      return text
    })
  },
}
