/** Stops the collector during a function: it would run finalizers, which are script code. */

/** lua_State: global state at 16. global_State: gcstp, why the collector is stopped; GCSTPGC. */
const STOPPED_OFFSET = 82
const BY_ITSELF = 2

/**
 * A function that makes `call` with the collector stopped. Running out of memory still triggers an
 * emergency collection, which runs no finalizers. Allocations count as debt, so the collector
 * catches up at its next step.
 */
export function quietFunction(name: string, parameters: readonly string[], call: string): string {
  const resume = `(i32.store8 offset=${STOPPED_OFFSET} (local.get $global) (local.get $stopped))`
  return `(func ${name} ${parameters.map((parameter) => `(param ${parameter} i32)`).join(' ')} (result i32)
    (local $answer i32) (local $global i32) (local $stopped i32)
    (local.set $global (i32.load offset=16 (local.get $L)))
    (local.set $stopped (i32.load8_u offset=${STOPPED_OFFSET} (local.get $global)))
    (i32.store8 offset=${STOPPED_OFFSET} (local.get $global)
     (i32.or (local.get $stopped) (i32.const ${BY_ITSELF})))
    (try
     (do (local.set $answer ${call}))
     (catch $lua_error ${resume} (throw $lua_error)))
    ${resume}
    (local.get $answer))`
}

/** Catches up, in functions where finalizers may run afterwards. global_State: GCdebt at 12. */
export const STEP_IF_DUE = `(func $step_if_due (param $L i32)
  (if (i32.gt_s (i32.load offset=12 (i32.load offset=16 (local.get $L))) (i32.const 0))
   (then (call $luaC_step (local.get $L)))))`
