/**
 * `coroutine.yield` and `error` leave the interpreter by returning from it, where only Lua functions
 * are between them and `coroutine.resume` or `pcall`.
 */
import { insertAtStart, replaceExactly, type Edit, type Wat } from '../wat.ts'

/** What a C function returns instead of a number of results. */
const LEAVES = '(i32.const 0x7fffffff)'

const YIELDED = 1
const RUNTIME_ERROR = 2

// lua_State: status at 6, allowhook at 7, top at 12, global_State at 16 (memerrmsg at 168), ci at
// 20, stack at 28, errfunc at 92, nCcalls at 96, hookmask at 112. CallInfo: func at 0, previous at
// 8, continuation of a C function at 16, trap of a Lua function at 20, number of yielded values or
// offset of the protected function at 28, callstatus at 34 (1: allowhook, 2: a C function, from
// 1024 on: the status to recover from).
const CALL = '(i32.load offset=20 (local.get $L))'
const DEPTH = '(i32.load offset=96 (local.get $L))'
const STATUS_SHIFT = 10
const STATUS_MASK = 7 << STATUS_SHIFT

/** The interpreter tests the trap after every call, so that looking here costs it nothing more. */
const LEAVE = `(func $leave (param $L i32) (result i32) (local $caller i32)
  (global.set $leaving (i32.const 1))
  (local.set $caller (i32.load offset=8 ${CALL}))
  (if (i32.eqz (i32.and (i32.load8_u offset=34 (local.get $caller)) (i32.const 2)))
   (then (i32.store offset=20 (local.get $caller) (i32.const 1))))
  ${LEAVES})`

const YIELD = `(func $luaB_yield (param $L i32) (result i32) (local $values i32)
  (local.set $values
   (i32.shr_s
    (i32.sub (i32.sub (i32.load offset=12 (local.get $L)) (i32.load ${CALL})) (i32.const 16))
    (i32.const 4)))
  (if (i32.ne ${DEPTH} (global.get $resume_depth))
   (then (return (call $lua_yieldk (local.get $L) (local.get $values) (i32.const 0) (i32.const 0)))))
  (i32.store8 offset=6 (local.get $L) (i32.const ${YIELDED}))
  (i32.store offset=28 ${CALL} (local.get $values))
  (i32.store offset=16 ${CALL} (i32.const 0))
  (call $leave (local.get $L)))`

/** Errors do not leave `lua_resume`, so the depth of the outer coroutine is always restored. */
const RESUME = `(func $resume_protected (param $L i32) (param $function i32) (param $data i32) (result i32)
  (local $outer i32) (local $status i32)
  (local.set $outer (global.get $resume_depth))
  (global.set $resume_depth ${DEPTH})
  (local.set $status
   (call $luaD_rawrunprotected (local.get $L) (local.get $function) (local.get $data)))
  (global.set $resume_depth (local.get $outer))
  (if (global.get $leaving)
   (then
    (global.set $leaving (i32.const 0))
    (return (i32.const ${YIELDED}))))
  (local.get $status))`

/** Message handlers and the message of full memory take the long way. */
const RAISE = `(func $raise (param $L i32) (result i32)
  (if
   (i32.or
    (i32.or (i32.ne ${DEPTH} (global.get $pcall_depth)) (i32.load offset=92 (local.get $L)))
    (i32.eq
     (i32.load (i32.sub (i32.load offset=12 (local.get $L)) (i32.const 16)))
     (i32.load offset=168 (i32.load offset=16 (local.get $L)))))
   (then (return (call $lua_error (local.get $L)))))
  (call $leave (local.get $L)))`

/** As `unroll` does it after a throw. A `__close` method may yield or raise, hence the status. */
const RECOVER = `(func $recover (param $L i32) (param $call i32)
  (local $status i32)
  (global.set $leaving (i32.const 0))
  (i32.store offset=20 (local.get $L) (local.get $call))
  (local.set $status (i32.load16_u offset=34 (local.get $call)))
  (i32.store16 offset=34 (local.get $call)
   (i32.or (local.get $status) (i32.const ${RUNTIME_ERROR << STATUS_SHIFT})))
  (i32.store8 offset=7 (local.get $L) (i32.and (local.get $status) (i32.const 1)))
  (call $luaD_seterrorobj (local.get $L) (i32.const ${RUNTIME_ERROR})
   (call $luaF_close (local.get $L)
    (i32.add (i32.load offset=28 (local.get $L)) (i32.load offset=28 (local.get $call)))
    (i32.const ${RUNTIME_ERROR}) (i32.const 1)))
  (call $luaD_shrinkstack (local.get $L))
  (i32.store16 offset=34 (local.get $call)
   (i32.and (i32.load16_u offset=34 (local.get $call)) (i32.const ${0xffff & ~STATUS_MASK}))))`

const PROTECTED_CALL = '(call $luaD_call (local.get $0) (local.get $3) (local.get $2))'
const NO_ERROR =
  '(i32.store offset=92 (local.get $0) (i32.load offset=20 (local.get $1))) (i32.const 0)'

const C_CALL =
  '(call $luaD_poscall (local.get $0) (local.get $4) (local.tee $0 (call_indirect (type $0) (local.get $0) (local.get $3)))) (local.get $0)'
const LUA_CALL = '(br_if $label7 (local.tee $1 (call $luaD_precall '
const IF_TRAPPED = '(if (i32.load offset=20 (local.get $7)) (then '
const TAIL_CALLED =
  '(i32.store (local.get $7) (i32.sub (i32.load (local.get $7)) (i32.shl (local.get $4) (i32.const 4)))) (call $luaD_poscall '
// From here on the trap is for hooks again.
const RETURN = `(then
  (i32.store offset=20 (local.get $7) (i32.load offset=112 (local.get $0))) (return))`
const NEXT_CALLER = '(i32.ne (local.tee $1 (i32.load offset=20 (local.get $0))) (local.get $7))'

/**
 * A throw takes the engine ten times as long as the rest of a switch. Before every call the
 * interpreter has stored what it needs to go on later, so returning is as good. A thread's calls
 * are as deep as when it was resumed, or its `pcall` called the function, if no C function is
 * between: each adds one. There, as in a metamethod or a comparison of `table.sort`, throwing
 * remains.
 */
export const unwind: Edit = {
  name: 'yields and errors return where they can',
  apply(module) {
    for (const global of ['$leaving', '$resume_depth', '$pcall_depth']) {
      module.add(`(global ${global} (mut i32) (i32.const 0))`)
    }
    module.replace('(func $luaB_yield ', YIELD)
    for (const added of [LEAVE, RESUME, RAISE, RECOVER]) module.add(added)
    module.replaceIn('$luaB_error', '(call $lua_error ', '(call $raise ')
    module.replaceIn('$lua_resume', '(call $luaD_rawrunprotected ', '(call $resume_protected ', 2)
    module.replaceIn(
      '$precallC',
      C_CALL,
      `(local.set $3 (call_indirect (type $0) (local.get $0) (local.get $3)))
       (if (i32.ne (local.get $3) ${LEAVES})
        (then (call $luaD_poscall (local.get $0) (local.get $4) (local.get $3))))
       (local.get $3)`,
    )
    leaveInterpreter(module)
    recoverInPcall(module)
    // Goes on with the callers of a resumed function, unless that has yielded again.
    module.editFunction('$unroll', (text) => {
      const goOn = `(i32.and ${NEXT_CALLER} (i32.eqz (global.get $leaving)))`
      const stop = '(if (global.get $leaving) (then (return)))'
      return insertAtStart(replaceExactly(text, NEXT_CALLER, goOn), stop)
    })
  },
}

function leaveInterpreter(module: Wat): void {
  module.editFunction('$luaV_execute', (text) => {
    const call = text.indexOf(LUA_CALL)
    const trapped = text.indexOf(IF_TRAPPED, call) + IF_TRAPPED.length
    if (call < 0 || trapped - call > 300) throw new Error('no test of the trap after a call')
    const afterCall = `(if (global.get $leaving) ${RETURN}) `
    const afterTailCall = `(if (i32.eq (local.get $1) ${LEAVES}) ${RETURN}) ${TAIL_CALLED}`
    const edited = text.slice(0, trapped) + afterCall + text.slice(trapped)
    return replaceExactly(edited, TAIL_CALLED, afterTailCall)
  })
}

/** Throws must not find the depth of a `pcall` whose frames they remove. */
function recoverInPcall(module: Wat): void {
  module.editFunction('$lua_pcallk', (text) => {
    const call = `(local.set $outer (global.get $pcall_depth))
      (global.set $pcall_depth (i32.add (i32.load offset=96 (local.get $0)) (i32.const 1)))
      ${PROTECTED_CALL}
      (global.set $pcall_depth (local.get $outer))
      (if (global.get $leaving)
       (then
        (call $recover (local.get $0) (local.get $1))
        (local.set $status (i32.const ${RUNTIME_ERROR}))))`
    const called = replaceExactly(text, PROTECTED_CALL, call)
    const status = NO_ERROR.replace('(i32.const 0)', '(local.get $status)')
    return insertAtStart(
      replaceExactly(called, NO_ERROR, status),
      '(local $outer i32) (local $status i32)',
    )
  })
  module.editFunction('$luaD_rawrunprotected', (text) => {
    const start = `(local $pcall_depth i32) (local.set $pcall_depth (global.get $pcall_depth))
      (global.set $pcall_depth (i32.const 0))`
    const end = '(catch $lua_error))'
    const restore = '(global.set $pcall_depth (local.get $pcall_depth))'
    return insertAtStart(replaceExactly(text, end, `${end} ${restore}`), start)
  })
}
