/** Fixes of the compiler. */
import type { LuaFix } from '../lua-fixes.ts'

// expdesc: kind at 0; jumps taken when true at 16, when false at 20.
const HAS_JUMPS = '(i32.ne (i32.load offset=16 (local.get $1)) (i32.load offset=20 (local.get $1)))'
/** Kind of an expression that is a pending jump. */
const VJMP = 16

/**
 * In `t[a < b]`, if `t` is an upvalue, stock Lua emits the code that loads it after the comparison,
 * which is still a pending jump. A true comparison jumps over the load: the script indexes whatever
 * was in the register, which may silently be another table.
 */
export const comparisonAsIndex: LuaFix = {
  name: 'a comparison used as an index is put into a register first',
  commit: '782ef85b',
  release: '5.4.8',
  apply(module) {
    const isJump = `(i32.eq (i32.load (local.get $1)) (i32.const ${VJMP}))`
    module.replaceIn('$luaK_exp2val', HAS_JUMPS, `(i32.or ${isJump} ${HAS_JUMPS})`)
  },
}

const callArguments = (line: string) => `(call $funcargs (local.get $0) (local.get $1) ${line})`
const EXPRESSION_LINE = '(local.get $6)'
/** LexState: linenumber at 4. */
const CURRENT_LINE = '(i32.load offset=4 (local.get $0))'

/**
 * Stock Lua reports the line where the whole expression begins: in a chain of method calls, one per
 * line, an error in any of them names the first line.
 */
export const callLine: LuaFix = {
  name: 'a call is reported at the line of its arguments',
  commit: '5ab6a575',
  release: '5.4.7',
  apply(module) {
    module.replaceIn('$suffixedexp', callArguments(EXPRESSION_LINE), callArguments(CURRENT_LINE), 2)
  },
}

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
    const isMethod = `(local.set $7 ${VALUE}) (local.set $is_method (if `
    module.replaceIn('$statement', '(param $0 i32)', '(param $0 i32) (local $is_method i32)')
    module.replaceIn('$statement', CALL_START, isMethod)
    module.replaceIn('$statement', CALL_END, CALL_END.replace(' (local.get $6)', ''))
    module.replaceIn('$statement', STORE, `${LATER_CALL} ${STORE}`)
  },
}
