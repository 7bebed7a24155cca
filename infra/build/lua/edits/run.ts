/** The entry point, which runs a script, and how its thread, its errors and its chunks differ. */
import { SCRATCH } from '../../../../src/vm/lua-exports.ts'
import type { Statics } from '../statics.ts'
import type { TableSlots } from '../function-table.ts'
import { replaceExpressions, type Edit } from '../wat.ts'
import { opcodeOf, symbolOf } from './host-functions.ts'

/** LUA_MASKCOUNT: call the hook after a number of instructions. */
const MASK_COUNT = 8
const YIELD = 1
const ERROR_SYNTAX = 3
const ERROR_MEMORY = 4
const TYPE_NUMBER = 3
const TYPE_STRING = 4

/** Everything happens inside WebAssembly, so that the script can be suspended anywhere. */
export const run = (statics: Statics, slots: TableSlots): Edit => ({
  name: 'a script runs by one call',
  apply(module) {
    const setUp = slots.slotOf(symbolOf('[set up]'))
    const takeResult = slots.slotOf(symbolOf('[take result]'))
    const traceBack = slots.slotOf(symbolOf('[trace back]'))
    const describe = slots.slotOf('$describe_error')
    const chunkName = statics.string('=script')
    const textMode = statics.string('t')

    module.add('(import "host" "refuel" (func $host_refuel (result i32)))')

    // Calls a C function in protected mode, with the value on top of the stack if it takes one.
    module.add(`(func $protected (param $L i32) (param $slot i32) (param $arguments i32) (param $results i32)
      (result i32)
      (call $lua_pushcclosure (local.get $L) (local.get $slot) (i32.const 0))
      (if (local.get $arguments)
       (then (call $lua_rotate (local.get $L) (i32.const -2) (i32.const 1))))
      (call $lua_pcallk (local.get $L) (local.get $arguments) (local.get $results)
       (i32.const 0) (i32.const 0) (i32.const 0)))`)

    module.add(`(func $run (export "run") (param $script i32) (param $bytes i32) (param $needs_set_up i32)
      (result i32)
      (local $status i32)
      (local.set $status (call $run_script (local.get $script) (local.get $bytes) (local.get $needs_set_up)))
      (drop (call $fflush (i32.const 0)))
      (local.get $status))`)

    module.add(`(func $run_script (param $script i32) (param $bytes i32) (param $needs_set_up i32) (result i32)
      (local $status i32)
      (if (local.get $needs_set_up)
       (then
        (if (local.tee $status (call $protected (global.get $thread) (i32.const ${setUp}) (i32.const 0) (i32.const 0)))
         (then (return (local.get $status))))))
      (local.set $status
       (call $luaL_loadbufferx (global.get $thread) (local.get $script) (local.get $bytes)
        (i32.const ${chunkName}) (i32.const ${textMode})))
      (call $free (local.get $script))
      ;; Whatever stops the compiler, also "C stack overflow", is a matter of syntax; except for lack of memory.
      (if (local.get $status)
       (then
        (return
         (select (local.get $status) (i32.const ${ERROR_SYNTAX})
          (i32.eq (local.get $status) (i32.const ${ERROR_MEMORY}))))))
      (loop $again
       (local.set $status
        (call $lua_resume (global.get $thread) (i32.const 0) (i32.const 0) (i32.const ${SCRATCH})))
       (br_if $again (i32.eq (local.get $status) (i32.const ${YIELD}))))
      (if (local.get $status) (then (return (call $report (local.get $status)))))
      (call $lua_settop (global.get $thread) (i32.const 1))
      (call $protected (global.get $thread) (i32.const ${takeResult}) (i32.const 1) (i32.const 0)))`)

    // After an error the script's stack is still intact, so the traceback is made from another
    // thread. Then pending __close methods run, as after pcall.
    module.add(`(func $report (param $status i32) (result i32)
      (drop
       (call $protected (global.get $main) (i32.const ${traceBack}) (i32.const 0) (i32.const 0)))
      (local.set $status (call $lua_resetthread (global.get $thread) (i32.const 0)))
      ;; If describing the error fails, that failure takes the place of the one it should have described.
      (drop (call $protected (global.get $thread) (i32.const ${describe}) (i32.const 1) (i32.const 1)))
      (local.get $status))`)

    module.add(`(func $describe_error (param $L i32) (result i32)
      (local $type i32)
      (local.set $type (call $lua_type (local.get $L) (i32.const 1)))
      (if (i32.or (i32.eq (local.get $type) (i32.const ${TYPE_STRING}))
                  (i32.eq (local.get $type) (i32.const ${TYPE_NUMBER})))
       (then
        (drop (call $lua_tolstring (local.get $L) (i32.const 1) (i32.const 0)))
        (return (i32.const 1))))
      (if (call $luaL_callmeta (local.get $L) (i32.const 1) (i32.const ${statics.string('__tostring')}))
       (then
        (if (i32.eq (call $lua_type (local.get $L) (i32.const -1)) (i32.const ${TYPE_STRING}))
         (then (return (i32.const 1))))))
      (call $lua_settop (local.get $L) (i32.const 1))
      (call $host_call (i32.const ${opcodeOf('[describe error]')}) (local.get $L)))`)

    module.add(`(func $refuel
      (if (i64.lt_s (global.get $fuel) (global.get $bottom)) (then (unreachable)))
      (if (call $host_refuel)
       (then
        (call $lua_sethook (global.get $thread) (i32.const ${slots.slotOf('$pause')})
         (i32.const ${MASK_COUNT}) (i32.const 1)))))`)

    // Engines do not replace the code of a running loop, and the first entry runs baseline code. So
    // the script's thread yields to $run now and then, which re-enters it. Threads created at the
    // wrong moment inherit the hook: there, and where Lua cannot yield, it only removes itself.
    module.add(`(func $pause (param $L i32) (param $debug i32)
      (call $lua_sethook (local.get $L) (i32.const 0) (i32.const 0) (i32.const 0))
      (if (i32.and (i32.eq (local.get $L) (global.get $thread)) (call $lua_isyieldable (local.get $L)))
       (then (drop (call $lua_yieldk (local.get $L) (i32.const 0) (i32.const 0) (i32.const 0))))))`)
  },
})

/**
 * A script runs with `lua_resume` in its own thread, so that it can be paused and re-entered and
 * its stack is intact after an error. `coroutine.*` must hide that: at top level a script cannot
 * yield.
 */
export const mainThread = (statics: Statics): Edit => ({
  name: 'the script runs in what it takes for the main thread',
  apply(module) {
    const outside = statics.string('attempt to yield from outside a coroutine')
    module.add('(global $main (export "main") (mut i32) (i32.const 0))')
    module.add('(global $thread (export "thread") (mut i32) (i32.const 0))')

    module.wrapFunction(
      '$luaB_yield',
      `(func $luaB_yield (param $L i32) (result i32)
        (if (i32.eq (local.get $L) (global.get $thread))
         (then
          (drop (call $lua_pushstring (local.get $L) (i32.const ${outside})))
          (drop (call $lua_error (local.get $L)))))
        (call $luaB_yield.stock (local.get $L)))`,
    )
    module.wrapFunction(
      '$luaB_corunning',
      `(func $luaB_corunning (param $L i32) (result i32)
        (if (i32.ne (local.get $L) (global.get $thread))
         (then (return (call $luaB_corunning.stock (local.get $L)))))
        (drop (call $lua_pushthread (local.get $L)))
        (call $lua_pushboolean (local.get $L) (i32.const 1))
        (i32.const 2))`,
    )
    module.wrapFunction(
      '$luaB_yieldable',
      `(func $luaB_yieldable (param $L i32) (result i32)
        (local $asked i32)
        (local.set $asked (call $lua_tothread (local.get $L) (i32.const 1)))
        (if (i32.eq (call $lua_type (local.get $L) (i32.const 1)) (i32.const -1))
         (then (local.set $asked (local.get $L))))
        (if (i32.ne (local.get $asked) (global.get $thread))
         (then (return (call $luaB_yieldable.stock (local.get $L)))))
        (call $lua_pushboolean (local.get $L) (i32.const 0))
        (i32.const 1))`,
    )
  },
})

// lua_State: errorJmp at 48, nCcalls at 96. lua_longjmp: previous at 0, status at 160.
const RUN_PROTECTED = `(func $luaD_rawrunprotected (param $L i32) (param $f i32) (param $ud i32) (result i32)
  (local $jump i32) (local $calls i32)
  (local.set $calls (i32.load offset=96 (local.get $L)))
  (global.set $global$0 (local.tee $jump (i32.sub (global.get $global$0) (i32.const 176))))
  (i32.store offset=160 (local.get $jump) (i32.const 0))
  (i32.store (local.get $jump) (i32.load offset=48 (local.get $L)))
  (i32.store offset=48 (local.get $L) (local.get $jump))
  (try
   (do (call_indirect (param i32 i32) (local.get $L) (local.get $ud) (local.get $f)))
   (catch $lua_error))
  (global.set $global$0 (i32.add (local.get $jump) (i32.const 176)))
  (i32.store offset=48 (local.get $L) (i32.load (local.get $jump)))
  (i32.store offset=96 (local.get $L) (local.get $calls))
  (i32.load offset=160 (local.get $jump))
 )`

/**
 * Emscripten implements `longjmp` with a JavaScript frame around every protected call. Such a frame
 * costs two crossings and cannot be suspended, so a script could not wait inside `pcall`.
 */
export const exceptions: Edit = {
  name: 'Lua errors are WebAssembly exceptions',
  apply(module) {
    module.add('(tag $lua_error)')
    module.replace('(func $luaD_rawrunprotected ', RUN_PROTECTED)
    module.editFunction('$luaD_throw', (text) =>
      replaceExpressions(text, '(call $emscripten_longjmp', 1, '(throw $lua_error)'),
    )
    module.remove('(func $emscripten_longjmp ', 1)
    module.remove('(import "env" "invoke_vii"', 1)
    module.remove('(import "env" "_emscripten_throw_longjmp"', 1)
  },
}

const ALLOWED_BY_MODE =
  '(if (local.get $2) (then (br_if $block1 (i32.eqz (call $597 (local.get $2) (i32.const 98))))))'

/**
 * Lua does not verify bytecode: a crafted chunk can read and write all of the VM's memory. The
 * parser refuses precompiled chunks in every mode, and the undump code drops out of the binary.
 */
export const textChunks = (statics: Statics): Edit => ({
  name: 'bytecode is refused',
  apply(module) {
    const mode = statics.string('t')
    const refuse = `(local.set $2 (i32.const ${mode})) (br $block1)`
    module.replaceIn('$f_parser', ALLOWED_BY_MODE, refuse)
  },
})
