/** What is left of `debug`: facts about functions and calls, no access to them. */
import type { Statics } from '../statics.ts'
import type { Edit } from '../wat.ts'

const TYPE_TABLE = 5
const TYPE_FUNCTION = 6
const TYPE_THREAD = 8

/**
 * By a level, stock `getinfo` hands out any function on the stack, also those of our own libraries
 * that no script can name. A function that the script passed is its own.
 */
export const debugData = (statics: Statics): Edit => ({
  name: 'debug.getinfo gives no function by its level',
  apply(module) {
    const func = statics.string('func')
    const typeAt = (index: string) => `(call $lua_type (local.get $L) ${index})`
    module.wrapFunction(
      '$db_getinfo',
      `(func $db_getinfo (param $L i32) (result i32) (local $results i32) (local $isGiven i32)
        (local.set $isGiven
         (i32.eq (i32.const ${TYPE_FUNCTION})
          ${typeAt(`(i32.add (i32.const 1)
            (i32.eq ${typeAt('(i32.const 1)')} (i32.const ${TYPE_THREAD})))`)}))
        (local.set $results (call $db_getinfo.stock (local.get $L)))
        (if (i32.eqz (local.get $isGiven))
         (then
          (if (i32.eq ${typeAt('(i32.const -1)')} (i32.const ${TYPE_TABLE}))
           (then
            (call $lua_pushnil (local.get $L))
            (call $lua_setfield (local.get $L) (i32.const -2) (i32.const ${func}))))))
        (local.get $results))`,
    )
  },
})
