/**
 * Functions during which the collector stands still: it would run finalizers, code of the script, at a moment that
 * the script can choose.
 */

/** In the global state, at 16 of every thread: why the collector is stopped, and that it is by itself. */
const STOPPED_OFFSET = 82
const BY_ITSELF = 2

/**
 * The text of a function whose body is `call`, with the collector stopped meanwhile. It does not even step when
 * memory runs out: the collection that makes room then runs no finalizers. What is allocated counts, so that it
 * catches up at its next chance.
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

/** The chance to catch up, for functions after which nothing depends on what finalizers do. Debt is at 12. */
export const STEP_IF_DUE = `(func $step_if_due (param $L i32)
  (if (i32.gt_s (i32.load offset=12 (i32.load offset=16 (local.get $L))) (i32.const 0))
   (then (call $luaC_step (local.get $L)))))`
