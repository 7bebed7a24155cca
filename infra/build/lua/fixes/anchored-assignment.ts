/** Keeps a table alive while `__newindex` adds a key to it. */
import type { LuaFix } from '../lua-fixes.ts'

const INSERT =
  '(call $luaH_finishset (local.get $0) (local.get $6) (local.get $2) (local.get $4) (local.get $3))'

/** The tag of a collectable value that is a table. */
const TABLE = 69

// lua_State: top at 12. Lua guarantees some slots beyond the top; the local $5 is dead here.
const PUSH_TABLE = `(i32.store (local.tee $5 (i32.load offset=12 (local.get $0))) (local.get $6))
  (i32.store8 offset=8 (local.get $5) (i32.const ${TABLE}))
  (i32.store offset=12 (local.get $0) (i32.add (local.get $5) (i32.const 16)))`
const POP =
  '(i32.store offset=12 (local.get $0) (i32.sub (i32.load offset=12 (local.get $0)) (i32.const 16)))'

/**
 * The table named by `__newindex` may be referenced only by a weak metatable while the key is
 * inserted. When memory is short, an emergency collection frees it, and the key is written to freed
 * memory.
 */
export const anchoredAssignment: LuaFix = {
  name: 'a table that gets a new key is on the stack meanwhile',
  commit: '983bc433',
  release: '5.4.8',
  apply(module) {
    module.replaceIn('$luaV_finishset', INSERT, 1, `${PUSH_TABLE} ${INSERT} ${POP}`)
  },
}
