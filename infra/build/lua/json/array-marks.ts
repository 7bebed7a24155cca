/** Tables that are JSON arrays even if empty: keys of a weak table, at key 0 of the registry. */
import { pushObject, top } from './layout'
import { REGISTRY, TABLE, TRUE, VALUE_BYTES } from './offsets'
import { lua_rawget, lua_rawgetp, lua_rawset, lua_settop } from './lua'

const TYPE_BOOLEAN: i32 = 1

/** Marks the table on top of the stack. */
export function markArray(L: i32): void {
  const table = load<i32>(top(L) - VALUE_BYTES)
  lua_rawgetp(L, REGISTRY, 0)
  pushObject(L, table, TABLE)
  pushObject(L, 0, TRUE)
  lua_rawset(L, -3)
  lua_settop(L, -2)
}

export function isMarkedArray(L: i32, table: i32): bool {
  lua_rawgetp(L, REGISTRY, 0)
  pushObject(L, table, TABLE)
  const isMarked = lua_rawget(L, -2) == TYPE_BOOLEAN
  lua_settop(L, -3)
  return isMarked
}
