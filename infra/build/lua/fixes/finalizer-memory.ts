/** Reserves memory for the call before a finalizer is called. */
import { MAX_SLOTS } from '../edits/stack-limit.ts'
import type { LuaFix } from '../lua-fixes.ts'
import { requireForFinalizers } from './finalizer-condition.ts'

const NEEDED_SLOTS = 40
const SLOT_BYTES = 16

/** The CallInfo after the current one: kept for reuse once a call has been made. */
const NEXT_RECORD = '(i32.load offset=12 (i32.load offset=20 (local.get $L)))'

// lua_State: nci 8, top 12, ci 20, stack_last 24, stack 28. A stack at its limit is not grown: that
// would use up the slots for handling an overflow.
const RESERVE = `(func $reserve_call (param $L i32) (result i32) (local $top i32)
  (if (i32.eqz ${NEXT_RECORD})
   (then (if (i32.eqz (call $reserve_record (local.get $L))) (then (return (i32.const 0))))))
  (if (i32.eqz (i32.load offset=12 ${NEXT_RECORD}))
   (then (if (i32.eqz (call $reserve_record (local.get $L))) (then (return (i32.const 0))))))
  (local.set $top (i32.load offset=12 (local.get $L)))
  (if (i32.ge_s (i32.sub (i32.load offset=24 (local.get $L)) (local.get $top))
   (i32.const ${NEEDED_SLOTS * SLOT_BYTES}))
   (then (return (i32.const 1))))
  (if (i32.gt_s (i32.sub (local.get $top) (i32.load offset=28 (local.get $L)))
   (i32.const ${(MAX_SLOTS - NEEDED_SLOTS) * SLOT_BYTES}))
   (then (return (i32.const 0))))
  (call $luaD_growstack (local.get $L) (i32.const ${NEEDED_SLOTS}) (i32.const 0)))`

// CallInfo: previous 8, next 12, trap 20; 36 bytes. Inserted right after the current one.
const RESERVE_RECORD = `(func $reserve_record (param $L i32) (result i32)
  (local $current i32) (local $record i32) (local $next i32)
  (local.set $record
   (call $luaM_realloc_ (local.get $L) (i32.const 0) (i32.const 0) (i32.const 36)))
  (if (i32.eqz (local.get $record)) (then (return (i32.const 0))))
  (local.set $current (i32.load offset=20 (local.get $L)))
  (local.set $next (i32.load offset=12 (local.get $current)))
  (i32.store offset=8 (local.get $record) (local.get $current))
  (i32.store offset=12 (local.get $record) (local.get $next))
  (i32.store offset=20 (local.get $record) (i32.const 0))
  (i32.store offset=12 (local.get $current) (local.get $record))
  (if (local.get $next) (then (i32.store offset=8 (local.get $next) (local.get $record))))
  (i32.store16 offset=8 (local.get $L)
   (i32.add (i32.load16_u offset=8 (local.get $L)) (i32.const 1)))
  (i32.const 1))`

/**
 * A call needs stack slots and a CallInfo, and may have to allocate both. If memory or the stack is
 * full, the finalizer would fail before its first instruction, and it runs only once.
 */
export const finalizerMemory: LuaFix = {
  name: 'a finalizer waits until there is memory to call it',
  commit: '2a7cf4f3',
  release: 'master',
  apply(module) {
    module.add(RESERVE)
    module.add(RESERVE_RECORD)
    requireForFinalizers(module, '$reserve_call')
  },
}
