/** Arguments of host functions, with the errors that Lua's own functions raise. */
import { TYPE, type Pointer } from '../lua-exports.ts'
import { RaisedInLua } from '../script-error.ts'
import { toText } from '../strings.ts'
import type { LibraryHost } from './library-host.ts'

const MAX_WORD_BYTES = 64

/** Not copied. @throws {RaisedInLua} unless it is a string or a number. */
export function stringArgument(host: LibraryHost, L: Pointer, index: number): Uint8Array {
  const type = host.lua.lua_type(L, index)
  if (type === TYPE.string || type === TYPE.number) return host.memory.stringAt(L, index)
  throw new RaisedInLua(`string expected, got ${typeNameOf(host, L, index)}`, index)
}

/** A short string argument; longer ones are truncated. */
export function wordArgument(host: LibraryHost, L: Pointer, index: number): string {
  return toText(stringArgument(host, L, index).subarray(0, MAX_WORD_BYTES))
}

/** Whether it is neither absent nor `nil`. */
export function isGiven({ lua }: LibraryHost, L: Pointer, index: number): boolean {
  return lua.lua_type(L, index) > TYPE.nil
}

export function typeNameOf({ lua, memory }: LibraryHost, L: Pointer, index: number): string {
  return toText(memory.cString(lua.lua_typename(L, lua.lua_type(L, index))))
}
