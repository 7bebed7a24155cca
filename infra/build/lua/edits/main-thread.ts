/** Makes the script's thread look like the main thread. */
import type { Statics } from '../statics.ts'
import type { Edit } from '../wat.ts'

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
