/** Fixes of the garbage collector. */
import type { LuaFix } from '../lua-fixes.ts'
import type { Wat } from '../wat.ts'
import { MAX_SLOTS } from '../edits/memory.ts'

// Table: gclist at 28. global_State: gcstate at 77, 0 in the propagate phase; grayagain at 104,
// allweak at 116.
const LINK_ALL_WEAK =
  '(i32.store offset=28 (local.get $1) (i32.load offset=116 (local.get $0))) ' +
  '(i32.store offset=116 (local.get $0) (local.get $1))'

// The local $2 is dead at this point.
const LINK_BY_PHASE = `(local.set $2 (i32.add (local.get $0)
   (select (i32.const 116) (i32.const 104) (i32.load8_u offset=77 (local.get $0)))))
  (i32.store offset=28 (local.get $1) (i32.load (local.get $2)))
  (i32.store (local.get $2) (local.get $1))`

/**
 * When marking reaches an all-weak table, stock Lua sets it aside, gray, and does not visit it
 * again in that cycle. Writes to gray tables trigger no barrier, so a metatable set later in the
 * cycle stays unmarked and is freed while in use.
 */
export const allWeakTables: LuaFix = {
  name: 'all-weak tables are visited again in the atomic phase',
  commit: '1b0f943d',
  release: '5.5.0',
  apply(module) {
    module.replaceIn('$propagatemark', LINK_ALL_WEAK, LINK_BY_PHASE)
  },
}

const INSERT =
  '(call $luaH_finishset (local.get $0) (local.get $6) (local.get $2) (local.get $4) (local.get $3))'

/** The tag of a collectable value that is a table. */
const TABLE = 69

// lua_State: top at 12. Lua guarantees some slots beyond the top; the local $5 is dead here.
const PUSH_TABLE = `(i32.store (local.tee $5 (i32.load offset=12 (local.get $0))) (local.get $6))
  (i32.store8 offset=8 (local.get $5) (i32.const ${TABLE}))
  (i32.store offset=12 (local.get $0) (i32.add (local.get $5) (i32.const 16)))`
const POP =
  '(i32.store offset=12 (local.get $0) (i32.sub (i32.load offset=12 (local.get $0)) (i32.const 16)))'

/**
 * The table named by `__newindex` may be referenced only by a weak metatable while the key is
 * inserted. When memory is short, an emergency collection frees it, and the key is written to freed
 * memory.
 */
export const anchoredAssignment: LuaFix = {
  name: 'a table that gets a new key is on the stack meanwhile',
  commit: '983bc433',
  release: '5.4.8',
  apply(module) {
    module.replaceIn('$luaV_finishset', INSERT, `${PUSH_TABLE} ${INSERT} ${POP}`)
  },
}

/** global_State: gcemergency at 83. */
const NO_EMERGENCY = '(br_if $block21 (i32.load8_u offset=83 (local.get $1)))'

/**
 * Leaves pending finalizers to the next cycle, as in an emergency, unless `check`, called with the
 * thread, returns true. Scripts can reach only the incremental collector.
 */
function requireForFinalizers(module: Wat, check: string): void {
  const skip = `(br_if $block21 (i32.eqz (call ${check} (local.get $0))))`
  module.replaceIn('$singlestep', NO_EMERGENCY, `${NO_EMERGENCY} ${skip}`)
}

/** Limit on nested C calls; two are for the finalizer and a function that it calls. */
const MAX_C_CALLS = 200
const NEEDED_C_CALLS = 2

// lua_State: nCcalls at 96; the low half counts C calls.
const CHECK = `(func $has_c_stack (param $L i32) (result i32)
  (i32.lt_u (i32.load16_u offset=96 (local.get $L)) (i32.const ${MAX_C_CALLS - NEEDED_C_CALLS})))`

/**
 * A finalizer runs only once. If it failed with "C stack overflow", the file or lock that it should
 * release would stay open.
 */
export const finalizerCStack: LuaFix = {
  name: 'a finalizer waits until the C stack has room',
  commit: 'a5522f06',
  release: '5.5.0',
  apply(module) {
    module.add(CHECK)
    requireForFinalizers(module, '$has_c_stack')
  },
}

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

// global_State, $3 in lua_gc and $1 in luaC_step: GCdebt at 12. In lua_gc, $2 is n.
const DEBT = '(i32.add (i32.load offset=12 (local.get $3)) (i32.shl (local.get $2) (i32.const 10)))'
const WIDE_DEBT =
  '(i64.add (i64.load32_s offset=12 (local.get $3)) (i64.shl (i64.extend_i32_s (local.get $2)) (i64.const 10)))'
// Work is the step multiplier, $3 from here on, times the debt in units of 16 bytes.
const MULTIPLIER =
  '(local.tee $3 (i32.or (i32.shl (i32.load8_u offset=85 (local.get $1)) (i32.const 2)) (i32.const 1)))'
const UNITS = '(i32.shr_u (i32.load offset=12 (local.get $1)) (i32.const 4))'
const WORK = `(i32.mul ${MULTIPLIER} ${UNITS})`
const WIDE_WORK = `(i64.mul (i64.extend_i32_u ${MULTIPLIER}) (i64.extend_i32_u ${UNITS}))`

const SATURATE = `(func $saturate (param $value i64) (result i32)
  (if (i64.gt_s (local.get $value) (i64.const 0x7fffffff)) (then (return (i32.const 0x7fffffff))))
  (if (i64.lt_s (local.get $value) (i64.const -0x7fffffff)) (then (return (i32.const -0x7fffffff))))
  (i32.wrap_i64 (local.get $value)))`

/**
 * `collectgarbage("step", n)` converts kilobytes to bytes and bytes to work. In 32 bits both
 * overflow for large n: the debt becomes negative, and the collector stops instead of running.
 */
export const largeStep: LuaFix = {
  name: 'a large step of the collector does not overflow',
  commit: '632a71b2',
  release: 'master',
  apply(module) {
    module.add(SATURATE)
    module.replaceIn('$lua_gc', DEBT, `(call $saturate ${WIDE_DEBT})`)
    module.replaceIn('$luaC_step', WORK, `(call $saturate ${WIDE_WORK})`)
  },
}
