/** Clears the message handler of a coroutine closed while suspended in `xpcall`. */
import type { LuaFix } from '../lua-fixes.ts'

/** Both have `luaE_resetthread` inlined. `close_state` needs no fix: a VM is never closed. */
const RESETTING = ['$lua_resetthread', '$luaD_throw']

// lua_State: status at 6, errfunc at 92.
const SET_STATUS = '(i32.store8 offset=6 (local.get $0) (i32.const 0))'
const FORGET_HANDLER = '(i32.store offset=92 (local.get $0) (i32.const 0))'

/**
 * The handler is an offset in the coroutine's stack. Closing unwinds the stack before it runs the
 * `__close` methods, so an error in one of them would call whatever is at that offset; if the stack
 * has shrunk, that is freed memory, which the script may control.
 */
export const forgottenHandler: LuaFix = {
  name: 'closing a coroutine forgets its message handler',
  commit: '3fe7be95',
  release: '5.4.8',
  apply(module) {
    for (const name of RESETTING) {
      module.replaceIn(name, SET_STATUS, 1, `${SET_STATUS} ${FORGET_HANDLER}`)
    }
  },
}
