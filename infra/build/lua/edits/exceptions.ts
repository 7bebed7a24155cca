/** Lua errors as WebAssembly exceptions instead of JavaScript ones. */
import { replaceExpressions, type Edit } from '../wat.ts'

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
