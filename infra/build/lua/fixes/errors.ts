/** Fixes of errors: their messages, lines and handlers. */
import type { LuaFix } from '../lua-fixes.ts'

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
    for (const offset of TABLE_NAMES) {
      const nameTable = `(call $getobjname (local.get $0) (local.get $1)
        (i32.and (i32.shr_u (local.get $4) (i32.const 16)) (i32.const 255))
        (i32.add (local.get $8) (i32.const ${offset})))`.replace(/\s+/g, ' ')
      const tableName = `(i32.load offset=${offset} (local.get $8))`
      // The local $2 is dead at this point.
      const variableName = `(select ${tableName} (i32.const 0)
        (i32.or
         (i32.eq (local.get $2) (i32.const ${LOCAL}))
         (i32.eq (local.get $2) (i32.const ${UPVALUE}))))`
      module.replaceIn('$getobjname', `(drop ${nameTable})`, `(local.set $2 ${nameTable})`)
      module.replaceIn('$getobjname', tableName, variableName)
    }
  },
}

/** Branch targets of the opcodes 11 (GETTABUP) to 20 (SELF), which index. */
const INDEXING = '$block12 $block13 $block14 $block15 $block $block $block $block $block $block16'
const NO_NAME = '$block'

/**
 * To name `a.b.b.b`, stock `getobjname` recurses to name `a.b.b`, and so on to the start of the
 * chain: some thousands of fields overflow the C stack, and ours has no guard page. A table or key
 * is named only if it is a local, an upvalue or a constant, so a variant limited to these is
 * enough.
 */
export const namesWithoutRecursion: LuaFix = {
  name: 'naming a value does not recurse',
  commit: '7923dbbf',
  release: '5.4.7',
  apply(module) {
    module.add(module.find('(func $getobjname ').replace('$getobjname', '$getobjname.basic'))
    module.replaceIn('$getobjname', '(call $getobjname ', '(call $getobjname.basic ', 4)
    module.replaceIn('$getobjname.basic', ` ${INDEXING} ${NO_NAME} `, ` ${NO_NAME} `)
  },
}

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
    module.replaceIn('$pushglobalfuncname', PUSH_MODULES, `${PUSH_MODULES} ${makeRoom}`)
  },
}

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
    for (const message of Object.values(MESSAGES)) {
      const raise = `(call $luaG_runerror (local.get $0) (i32.const ${message}) (i32.const 0))`
      // Once for a register, once for a constant divisor.
      module.replaceIn('$luaV_execute', raise, `${SAVE_STATE} ${raise}`, 2)
    }
  },
}

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
    module.replaceIn('$luaD_seterrorobj', VALUES, ON_STACK)
    const raise = `(call $luaD_throw (local.get $0) (i32.const ${STATUS}))`
    for (const name of ['$luaD_growstack', '$luaE_checkcstack']) {
      module.replaceIn(name, raise, '(call $luaD_errerr (local.get $0))')
    }
    module.add(RAISE)
  },
}

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
      module.replaceIn(name, SET_STATUS, `${SET_STATUS} ${FORGET_HANDLER}`)
    }
  },
}
