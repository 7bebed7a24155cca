/**
 * C functions that call the host: what scripts see beyond stock Lua, and checks before stock functions.
 *
 * They are ordinary C functions in the tables of Lua's own libraries, so their errors read as stock Lua's
 * do ("bad argument #1 to 'open'"), which wrappers written in Lua or JavaScript cannot achieve.
 */
import {
  HOST_FUNCTIONS,
  OUT_OF_MEMORY,
  RAISE,
  type HostFunctionName,
} from '../../host-functions.ts'
import { takeSlot, type TableSlots } from '../table-slots.ts'
import type { Edit, Wat } from '../wat.ts'

/** The name of a host function's C function in the module's text. */
export function symbolOf(name: HostFunctionName): string {
  return `$host.${name.replace(/[^\w.]/g, '_')}`
}

/** The opcode by which the C function `name` calls the host. */
export function opcodeOf(name: HostFunctionName): number {
  return HOST_FUNCTIONS.findIndex((candidate) => candidate.name === name)
}

export const hostFunctions = (slots: TableSlots): Edit => ({
  name: 'host functions are C functions',
  apply(module) {
    module.add('(import "host" "call" (func $host_call (param i32 i32) (result i32)))')
    module.add('(import "host" "wait" (func $host_wait (param i32 i32) (result i32)))')
    module.add(CHECKED)
    module.add(COLLECT_WITHOUT_FREE_HANDLE)
    for (const description of HOST_FUNCTIONS) addFunction(module, slots, description)
  },
})

function addFunction(
  module: Wat,
  slots: TableSlots,
  host: { name: HostFunctionName; replaces?: string; thenStock?: boolean; waits?: boolean },
): void {
  const call = (how: string) =>
    `(call $checked (local.get $L) (call $${how} (i32.const ${opcodeOf(host.name)}) (local.get $L)))`
  const steps = [
    ...(host.name === 'io.open' || host.name === 'io.lines' ? [COLLECT] : []),
    ...(host.waits ? [`(drop ${call('host_wait')})`] : []),
    ...(host.thenStock
      ? [`(drop ${call('host_call')})`, `(call $${host.replaces} (local.get $L))`]
      : [call('host_call')]),
  ]
  module.add(`(func ${symbolOf(host.name)} (param $L i32) (result i32) ${steps.join(' ')})`)
  if (host.replaces) takeSlot(module, `$${host.replaces}`, symbolOf(host.name))
  else slots.slotOf(symbolOf(host.name))
}

/** Passes a count of results on, or raises what the host left on the stack. */
const CHECKED = `(func $checked (param $L i32) (param $answer i32) (result i32)
  (if (i32.ge_s (local.get $answer) (i32.const 0)) (then (return (local.get $answer))))
  (if (i32.eq (local.get $answer) (i32.const ${OUT_OF_MEMORY}))
   (then (call $luaD_throw (local.get $L) (i32.const 4))))
  (if (i32.lt_s (local.get $answer) (i32.const ${RAISE}))
   (then
    (drop
     (call $luaL_argerror (local.get $L) (i32.sub (i32.const ${RAISE}) (local.get $answer))
      (call $lua_tolstring (local.get $L) (i32.const -1) (i32.const 0))))))
  (call $luaL_where (local.get $L) (i32.const 1))
  (call $lua_rotate (local.get $L) (i32.const -2) (i32.const 1))
  (call $lua_concat (local.get $L) (i32.const 2))
  (call $lua_error (local.get $L)))`

const COLLECT = '(call $collect_without_free_handle (local.get $L))'

/** Handles a script dropped without closing them are given back before it is told it has too many. */
const COLLECT_WITHOUT_FREE_HANDLE = `(func $collect_without_free_handle (param $L i32)
  (if (i32.eqz (call $host_call (i32.const ${opcodeOf('[has free handle]')}) (local.get $L)))
   (then (drop (call $lua_gc (local.get $L) (i32.const 2) (i32.const 0))))))`
