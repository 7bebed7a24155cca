/**
 * A coroutine that is closed forgets the message handler of the `xpcall` it was suspended in.
 *
 * The handler is known by its place in the coroutine's stack. Closing unwinds that stack before it runs
 * the `__close` methods, so an error in one of them would call whatever lies in that place by then; if
 * the stack has shrunk, that is a value in freed memory, which the script may have put there.
 */
import type { LuaFix } from '../lua-fixes.ts'

/** Both have `luaE_resetthread` inlined. `close_state` stays as it is: a VM is never closed. */
const RESETTING = ['$lua_resetthread', '$luaD_throw']

// lua_State: status at 6, the handler's offset in the stack at 92.
const SET_STATUS = '(i32.store8 offset=6 (local.get $0) (i32.const 0))'
const FORGET_HANDLER = '(i32.store offset=92 (local.get $0) (i32.const 0))'

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
