/**
 * A VM starts small and cannot outgrow its cap.
 *
 * The maximum is part of the module, so the engine itself refuses more; Lua then raises its own
 * "not enough memory". A run's lower limit is enforced where the heap asks to grow.
 */
import { MEMORY_MAX_PAGES } from '../../memory-size.ts'
import type { Edit } from '../wat.ts'

/** Static data, the 1 MiB C stack and about 90 KiB of heap: enough for the libraries. */
const INITIAL_PAGES = 18

export const memory: Edit = {
  name: 'memory starts small and has a maximum',
  apply(module) {
    module.replace('(memory $0 256 32768)', `(memory $0 ${INITIAL_PAGES} ${MEMORY_MAX_PAGES})`)
  },
}
