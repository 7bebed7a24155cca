/** Runs no finalizers while a file is read. */
import { quietFunction } from './collector.ts'
import type { Edit } from '../wat.ts'

const READING = ['$f_read', '$io_readline']

/**
 * Between the values of one `read`, and before the iterator of `lines` closes its file, the stock
 * functions use a FILE that a finalizer could close: a use after free.
 */
export const safeReading: Edit = {
  name: 'finalizers wait while a file is read',
  apply(module) {
    for (const name of READING) {
      const quiet = `(func ${name} (param $L i32) (result i32) (local $results i32)
        (local.set $results (call ${name}.quiet (local.get $L)))
        (call $step_if_due (local.get $L))
        (local.get $results))`
      module.wrapFunction(name, quiet, `${name}.unsafe`)
      module.add(quietFunction(`${name}.quiet`, ['$L'], `(call ${name}.unsafe (local.get $L))`))
    }
  },
}
