/** Creates the message "error in error handling" where that error is raised. */
import type { LuaFix } from '../lua-fixes.ts'

/** LUA_ERRERR. */
const STATUS = 5
const TEXT = '(i32.const 4642) (i32.const 23)'

// lua_State: top at 12. There is always room for a few values above the top.
const RAISE = `(func $luaD_errerr (param $L i32) (local $text i32) (local $top i32)
  (local.set $text (call $luaS_newlstr (local.get $L) ${TEXT}))
  (local.set $top (i32.load offset=12 (local.get $L)))
  (i32.store (local.get $top) (local.get $text))
  (i32.store8 offset=8 (local.get $top)
   (i32.or (i32.load8_u offset=4 (local.get $text)) (i32.const 64)))
  (i32.store offset=12 (local.get $L) (i32.add (local.get $top) (i32.const 16)))
  (call $luaD_throw (local.get $L) (i32.const ${STATUS})))`

/** By status: no error, four kinds with the value on the stack, out of memory, and this one. */
const VALUES = '(br_table $block $block1 $block1 $block1 $block2 $block3 $block1 (local.get $1))'
const ON_STACK = VALUES.replace('$block3', '$block1')

/**
 * Stock Lua creates the message when it turns the status into a value, which may be outside of a
 * protected call. If memory is full then, the memory error bypasses every `pcall` of the script and
 * ends the run.
 */
export const errorInErrorHandling: LuaFix = {
  name: 'turning a status into a value raises no error',
  commit: '25da574f',
  release: '5.4.8',
  apply(module) {
    module.replaceIn('$luaD_seterrorobj', VALUES, 1, ON_STACK)
    for (const name of ['$luaD_growstack', '$luaE_checkcstack']) {
      module.replaceIn(
        name,
        `(call $luaD_throw (local.get $0) (i32.const ${STATUS}))`,
        1,
        '(call $luaD_errerr (local.get $0))',
      )
    }
    module.add(RAISE)
  },
}
