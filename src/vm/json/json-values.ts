/** What encoding and decoding JSON have in common. */
import { REGISTRY, TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { OutOfMemory } from '../strings.ts'

/** Calibrated against Lua code of equal time. */
export const FUEL_PER_JSON_BYTE = 8

/** Encoder and decoder are recursive. */
export const MAX_JSON_LEVELS = 200

/** C functions start with twenty slots; a level needs two, plus a few temporaries. */
const LEVELS_WITHIN_FREE_SLOTS = 6
const SLOTS_PER_LEVEL = 6

/** Reserves stack slots for one more level. @throws {OutOfMemory} */
export function reserveSlots(lua: LuaExports, L: Pointer, level: number): void {
  if (level < LEVELS_WITHIN_FREE_SLOTS) return
  if (!lua.lua_checkstack(L, SLOTS_PER_LEVEL)) throw new OutOfMemory()
}

/** Marks the table on top of the stack as an array, even if empty. */
export function markArray(lua: LuaExports, L: Pointer): void {
  lua.lua_rawgetp(L, REGISTRY, 0)
  lua.lua_pushvalue(L, -2)
  lua.lua_pushboolean(L, 1)
  lua.lua_rawset(L, -3)
  lua.lua_settop(L, -2)
}

export function isMarkedArray(lua: LuaExports, L: Pointer, index: number): boolean {
  lua.lua_rawgetp(L, REGISTRY, 0)
  lua.lua_pushvalue(L, index)
  const isMarked = lua.lua_rawget(L, -2) === TYPE.boolean
  lua.lua_settop(L, -3)
  return isMarked
}
