/** Reports a multi-line call at the line where its arguments begin. */
import type { LuaFix } from '../lua-fixes.ts'

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
    module.replaceIn('$suffixedexp', callArguments(EXPRESSION_LINE), 2, callArguments(CURRENT_LINE))
  },
}
