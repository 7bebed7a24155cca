/** C functions that call the host: additions to stock Lua, and checks before stock functions. */
import {
  HOST_FUNCTIONS,
  OUT_OF_MEMORY,
  RAISE,
  type HostFunction,
  type HostFunctionName,
} from '../../../../src/vm/host-functions.ts'
import { takeSlot, type TableSlots } from '../function-table.ts'
import type { Edit, Wat } from '../wat.ts'

/** The name of its C function in the module's text. */
export function symbolOf(name: HostFunctionName): string {
  return `$host.${name.replace(/[^\w.]/g, '_')}`
}

/** The opcode with which the C function calls the host. */
export function opcodeOf(name: HostFunctionName): number {
  return HOST_FUNCTIONS.findIndex((candidate) => candidate.name === name)
}

/**
 * Being ordinary C functions in Lua's own libraries, they raise errors that read like stock Lua's
 * ("bad argument #1 to 'open'"), which wrappers in Lua or JavaScript cannot.
 */
export const hostFunctions = (slots: TableSlots): Edit => ({
  name: 'host functions are C functions',
  apply(module) {
    module.add(STEP_IF_DUE)
    addQuietImport(module, 'call', ['$op', '$L'])
    addQuietImport(module, 'wait', ['$op', '$L'])
    addQuietImport(module, 'spend', ['$L', '$first', '$last'])
    addQuietImport(module, 'read_all', ['$L', '$fd'])
    module.add(CHECKED)
    module.add(COLLECT_WITHOUT_FREE_HANDLE)
    for (const description of HOST_FUNCTIONS) addFunction(module, slots, description)
  },
})

function addFunction(
  module: Wat,
  slots: TableSlots,
  host: HostFunction & { name: HostFunctionName },
): void {
  const call = (how: string) =>
    `(call $checked (local.get $L) (call $${how} (i32.const ${opcodeOf(host.name)}) (local.get $L)))`
  const work = `(local.set $results ${call('host_call')})`
  const stock = `(call $${host.replaces} (local.get $L))`
  const steps = [
    ...(host.opensFile ? [COLLECT] : []),
    host.waits ? `(if (i32.eqz ${call('host_wait')}) (then ${work}))` : work,
    ...(host.thenStock ? [`(if (i32.eqz (local.get $results)) (then (return ${stock})))`] : []),
    STEP,
    '(local.get $results)',
  ]
  module.add(
    `(func ${symbolOf(host.name)} (param $L i32) (result i32) (local $results i32) ${steps.join(' ')})`,
  )
  if (host.replaces) takeSlot(module, `$${host.replaces}`, symbolOf(host.name))
  else slots.slotOf(symbolOf(host.name))
}

/**
 * An import that works on the Lua state, with the collector stopped: finalizers may wait, and
 * nothing can be suspended below a JavaScript frame.
 *
 * The collector does not step right afterwards either: the outcome of a wait and pointers into the
 * stack must stay valid for the next call.
 */
function addQuietImport(module: Wat, name: string, parameters: readonly string[]): void {
  const values = parameters.map((parameter) => `(local.get ${parameter})`).join(' ')
  const types = `(param ${parameters.map(() => 'i32').join(' ')}) (result i32)`
  module.add(`(import "host" "${name}" (func $import_${name} ${types}))`)
  module.add(quietFunction(`$host_${name}`, parameters, `(call $import_${name} ${values})`))
}

/** Returns the number of results, or raises the error that the host left on the stack. */
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

const STEP = '(call $step_if_due (local.get $L))'
const COLLECT = '(call $collect_without_free_handle (local.get $L))'

/** Collects unreachable handles before a script gets the error that it has too many open. */
const COLLECT_WITHOUT_FREE_HANDLE = `(func $collect_without_free_handle (param $L i32)
  (if (i32.eqz (call $host_call (i32.const ${opcodeOf('[has free handle]')}) (local.get $L)))
   (then (drop (call $lua_gc (local.get $L) (i32.const 2) (i32.const 0))))))`

/** lua_State: global state at 16. global_State: gcstp, why the collector is stopped; GCSTPGC. */
const STOPPED_OFFSET = 82
const BY_ITSELF = 2

/**
 * A function that makes `call` with the collector stopped, which would run finalizers: script code.
 * Running out of memory still triggers an emergency collection, which runs no finalizers.
 * Allocations count as debt, so the collector catches up at its next step.
 *
 * @param release What to do if Lua raises an error in it.
 */
export function quietFunction(
  name: string,
  parameters: readonly string[],
  call: string,
  release = '',
): string {
  const resume = `(i32.store8 offset=${STOPPED_OFFSET} (local.get $global) (local.get $stopped))`
  return `(func ${name} ${parameters.map((parameter) => `(param ${parameter} i32)`).join(' ')} (result i32)
    (local $answer i32) (local $global i32) (local $stopped i32)
    (local.set $global (i32.load offset=16 (local.get $L)))
    (local.set $stopped (i32.load8_u offset=${STOPPED_OFFSET} (local.get $global)))
    (i32.store8 offset=${STOPPED_OFFSET} (local.get $global)
     (i32.or (local.get $stopped) (i32.const ${BY_ITSELF})))
    (try
     (do (local.set $answer ${call}))
     (catch $lua_error ${release} ${resume} (throw $lua_error)))
    ${resume}
    (local.get $answer))`
}

/** Catches up, in functions where finalizers may run afterwards. global_State: GCdebt at 12. */
const STEP_IF_DUE = `(func $step_if_due (param $L i32)
  (if (i32.gt_s (i32.load offset=12 (i32.load offset=16 (local.get $L))) (i32.const 0))
   (then (call $luaC_step (local.get $L)))))`

/** They save host calls and BigInt conversions. */
export const integerHelpers: Edit = {
  name: 'helpers for integers',
  apply(module) {
    module.add(`(func $push_integer (export "push_integer") (param $L i32) (param $value f64)
      (call $lua_pushinteger (local.get $L) (i64.trunc_f64_s (local.get $value))))`)

    module.add(`(func $get_index (export "get_index") (param $L i32) (param $table i32) (param $i i32)
      (drop (call $lua_rawgeti (local.get $L) (local.get $table) (i64.extend_i32_s (local.get $i)))))`)

    module.add(`(func $set_index (export "set_index") (param $L i32) (param $table i32) (param $i i32)
      (call $lua_rawseti (local.get $L) (local.get $table) (i64.extend_i32_s (local.get $i))))`)
  },
}
