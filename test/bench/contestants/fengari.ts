/** Fengari: Lua in JavaScript. Nothing to instantiate, but no protection against infinite loops. */
import { importPeer, versionOf } from '../peers.ts'
import type { Sandbox } from './sandbox.ts'

const FENGARI = 'fengari'

type State = object

interface Exports {
  readonly default: {
    to_luastring(text: string): Uint8Array
    readonly lua: {
      lua_tonumber(state: State, index: number): number
      lua_tojsstring(state: State, index: number): string
      lua_close(state: State): void
    }
    readonly lauxlib: {
      luaL_newstate(): State
      luaL_dostring(state: State, script: Uint8Array): unknown
    }
    readonly lualib: { luaL_openlibs(state: State): void }
  }
}

export const fengari: Sandbox = {
  name: FENGARI,
  version: versionOf(FENGARI),
  language: 'lua',
  async prepare() {
    const { lua, lauxlib, lualib, to_luastring } = (await importPeer<Exports>(FENGARI)).default
    return (script) => {
      const state = lauxlib.luaL_newstate()
      lualib.luaL_openlibs(state)
      const hasFailed = lauxlib.luaL_dostring(state, to_luastring(script))
      if (hasFailed) throw new Error(lua.lua_tojsstring(state, -1))
      const result = lua.lua_tonumber(state, -1)
      lua.lua_close(state)
      return result
    }
  },
}
