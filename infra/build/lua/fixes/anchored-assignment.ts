/**
 * A table stays alive while `__newindex` adds a key to it.
 *
 * If only a weak metatable holds the table that `__newindex` names, nothing else keeps it while the new
 * key is inserted. When memory is short, the collection that makes room frees the very table being
 * written, and the key goes into freed memory.
 */
import type { LuaFix } from '../lua-fixes.ts'

const INSERT =
  '(call $luaH_finishset (local.get $0) (local.get $6) (local.get $2) (local.get $4) (local.get $3))'

/** The tag of a collectable value that is a table. */
const TABLE = 69

// lua_State: top at 12. There are always some slots beyond the top; the local $5 is not needed any more.
const PUSH_TABLE = `(i32.store (local.tee $5 (i32.load offset=12 (local.get $0))) (local.get $6))
  (i32.store8 offset=8 (local.get $5) (i32.const ${TABLE}))
  (i32.store offset=12 (local.get $0) (i32.add (local.get $5) (i32.const 16)))`
const POP =
  '(i32.store offset=12 (local.get $0) (i32.sub (i32.load offset=12 (local.get $0)) (i32.const 16)))'

export const anchoredAssignment: LuaFix = {
  name: 'a table that gets a new key is on the stack meanwhile',
  commit: '983bc433',
  release: '5.4.8',
  apply(module) {
    module.replaceIn('$luaV_finishset', INSERT, 1, `${PUSH_TABLE} ${INSERT} ${POP}`)
  },
}
