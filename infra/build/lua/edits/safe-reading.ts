/**
 * No finalizer runs while a file is read.
 *
 * Between the values that one `read` gives, and before the iterator of `lines` closes its file, the stock functions
 * rely on a FILE that a finalizer could close: they would go on in memory that is free or somebody else's.
 */
import { quietFunction } from './collector.ts'
import type { Edit } from '../wat.ts'

const READING = ['$f_read', '$io_readline']

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
