/**
 * An error message calls a value global only if it is one.
 *
 * Stock Lua looks only at the name of what was indexed: if that is `_ENV`, the value is a "global",
 * even where `_ENV` is the text of a string, as in `("_ENV").x`, or the name of a field.
 */
import type { LuaFix } from '../lua-fixes.ts'
import { replaceExactly } from '../wat.ts'

/** Two of the kinds that `getobjname` answers, as addresses of their names. */
const LOCAL = 3925
const UPVALUE = 4995

/** The offsets in the C stack frame where the name of the indexed table is written. */
const TABLE_NAMES = [8, 12]

export const globalNames: LuaFix = {
  name: 'only what a variable named _ENV holds is called global',
  commit: 'd1ee2a4d',
  release: '5.4.8',
  apply(module) {
    module.editFunction('$getobjname', (stock) =>
      TABLE_NAMES.reduce((text, offset) => {
        const nameTable = `(call $getobjname (local.get $0) (local.get $1)
          (i32.and (i32.shr_u (local.get $4) (i32.const 16)) (i32.const 255))
          (i32.add (local.get $8) (i32.const ${offset})))`.replace(/\s+/g, ' ')
        const tableName = `(i32.load offset=${offset} (local.get $8))`
        // The local $2 is not needed any more at this point.
        const variableName = `(select ${tableName} (i32.const 0)
          (i32.or
           (i32.eq (local.get $2) (i32.const ${LOCAL}))
           (i32.eq (local.get $2) (i32.const ${UPVALUE}))))`
        const named = replaceExactly(text, `(drop ${nameTable})`, 1, `(local.set $2 ${nameTable})`)
        return replaceExactly(named, tableName, 1, variableName)
      }, stock),
    )
  },
}
