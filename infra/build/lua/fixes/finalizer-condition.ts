/** Where the collector calls finalizers, and how a fix adds a condition for that. */
import type { Wat } from '../wat.ts'

/** In the global state, at 83: the cycle was started because memory had run out. */
const NO_EMERGENCY = '(br_if $block21 (i32.load8_u offset=83 (local.get $1)))'

/**
 * Leaves pending finalizers to the next cycle unless `check`, which is given the thread, answers true:
 * they stay on their list, as they do in an emergency. Only the incremental collector is within a
 * script's reach.
 */
export function requireForFinalizers(module: Wat, check: string): void {
  const skip = `(br_if $block21 (i32.eqz (call ${check} (local.get $0))))`
  module.replaceIn('$singlestep', NO_EMERGENCY, 1, `${NO_EMERGENCY} ${skip}`)
}
