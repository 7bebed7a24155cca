/** Calls a value global in error messages only if it is one. */
import type { LuaFix } from '../lua-fixes.ts'
import { replaceExactly } from '../wat.ts'

/** Two of the kinds that `getobjname` returns, as addresses of their names. */
const LOCAL = 3925
const UPVALUE = 4995

/** C stack frame offsets of the indexed table's name. */
const TABLE_NAMES = [8, 12]

/**
 * Stock Lua checks only the name of what was indexed: if it is `_ENV`, the value is a "global",
 * even where `_ENV` is a string constant, as in `("_ENV").x`, or a field name.
 */
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
        // The local $2 is dead at this point.
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
