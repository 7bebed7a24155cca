/** Keeps a new metatable of a table with weak keys and values alive. */
import type { LuaFix } from '../lua-fixes.ts'

// Table: gclist at 28. global_State: gcstate at 77, 0 in the propagate phase; grayagain at 104,
// allweak at 116.
const LINK_ALL_WEAK =
  '(i32.store offset=28 (local.get $1) (i32.load offset=116 (local.get $0))) ' +
  '(i32.store offset=116 (local.get $0) (local.get $1))'

// The local $2 is dead at this point.
const LINK_BY_PHASE = `(local.set $2 (i32.add (local.get $0)
   (select (i32.const 116) (i32.const 104) (i32.load8_u offset=77 (local.get $0)))))
  (i32.store offset=28 (local.get $1) (i32.load (local.get $2)))
  (i32.store (local.get $2) (local.get $1))`

/**
 * When marking reaches an all-weak table, stock Lua sets it aside, gray, and does not visit it
 * again in that cycle. Writes to gray tables trigger no barrier, so a metatable set later in the
 * cycle stays unmarked and is freed while in use.
 */
export const allWeakTables: LuaFix = {
  name: 'all-weak tables are visited again in the atomic phase',
  commit: '1b0f943d',
  release: '5.5.0',
  apply(module) {
    module.replaceIn('$propagatemark', LINK_ALL_WEAK, 1, LINK_BY_PHASE)
  },
}
