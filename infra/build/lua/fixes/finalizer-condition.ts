/** Adds conditions to where the collector calls finalizers. */
import type { Wat } from '../wat.ts'

/** global_State: gcemergency at 83. */
const NO_EMERGENCY = '(br_if $block21 (i32.load8_u offset=83 (local.get $1)))'

/**
 * Leaves pending finalizers to the next cycle, as in an emergency, unless `check`, called with the
 * thread, returns true. Scripts can reach only the incremental collector.
 */
export function requireForFinalizers(module: Wat, check: string): void {
  const skip = `(br_if $block21 (i32.eqz (call ${check} (local.get $0))))`
  module.replaceIn('$singlestep', NO_EMERGENCY, 1, `${NO_EMERGENCY} ${skip}`)
}
