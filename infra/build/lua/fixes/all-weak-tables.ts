/**
 * A new metatable of a table with weak keys and values survives.
 *
 * When marking meets such a table, stock Lua puts it aside, gray, and does not look at it again in that
 * cycle. Writes to a gray table are not reported to the collector, so a metatable that it gets later in
 * the cycle stays unmarked and is freed while the table has it.
 */
import type { LuaFix } from '../lua-fixes.ts'

// Table: next in the list of gray objects at 28. Global state: phase at 77, 0 while it propagates marks;
// the list of objects to visit again in the atomic phase at 104, that of all-weak tables at 116.
const LINK_ALL_WEAK =
  '(i32.store offset=28 (local.get $1) (i32.load offset=116 (local.get $0))) ' +
  '(i32.store offset=116 (local.get $0) (local.get $1))'

// The local $2 is not needed any more at this point.
const LINK_BY_PHASE = `(local.set $2 (i32.add (local.get $0)
   (select (i32.const 116) (i32.const 104) (i32.load8_u offset=77 (local.get $0)))))
  (i32.store offset=28 (local.get $1) (i32.load (local.get $2)))
  (i32.store (local.get $2) (local.get $1))`

export const allWeakTables: LuaFix = {
  name: 'all-weak tables are visited again in the atomic phase',
  commit: '1b0f943d',
  release: '5.5.0',
  apply(module) {
    module.replaceIn('$propagatemark', LINK_ALL_WEAK, 1, LINK_BY_PHASE)
  },
}
