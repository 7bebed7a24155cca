/** Reserves stack slots for looking up a function's name for a message. */
import type { LuaFix } from '../lua-fixes.ts'

/** Pushes `package.loaded`, which is then searched two levels deep. */
const PUSH_MODULES =
  '(drop (call $lua_getfield (local.get $0) (i32.const -1001000) (i32.const 7158)))'
const SEARCH_SLOTS = 6

/**
 * Stock Lua searches the loaded modules without checking for room. A function that fails with its
 * stack nearly full, as `string.unpack` may, has too few slots left; if a finalizer runs during the
 * search, a value is written past the end of the stack.
 */
export const roomToFindNames: LuaFix = {
  name: 'searching for a function name makes room on the stack',
  commit: '2db966fc',
  release: '5.4.7',
  // That fix reserves room for every finalizer, wherever it runs.
  coveredBy: '2a7cf4f3',
  apply(module) {
    // Without a message, failure is a plain "stack overflow".
    const makeRoom = `(call $luaL_checkstack (local.get $0) (i32.const ${SEARCH_SLOTS}) (i32.const 0))`
    module.replaceIn('$pushglobalfuncname', PUSH_MODULES, 1, `${PUSH_MODULES} ${makeRoom}`)
  },
}
