/** Names in scripts for parameters whose own names clash or are not Lua identifiers. */
import type { ParamEntry } from '../../../../src/sdk/catalog/catalog.ts'
import { isLuaKeyword } from '../../../../src/sdk/catalog/lua-name.ts'

/** Frozen parameters need none. */
export function withKeys(params: readonly ParamEntry[]): ParamEntry[] {
  // `body` always means the request body.
  const taken = new Set(['body'])
  return params.map((param) => {
    if (param.frozen !== undefined) return param
    const { name, in: place } = param
    const inLua = luaForm(name)
    const choices = [
      ...(isUsable(inLua) ? [name] : [inLua === '' ? place : usable(inLua)]),
      `${place}_${inLua}`,
      ...Array.from({ length: params.length }, (_, at) => `${place}_${inLua}_${at + 2}`),
    ]
    const key = choices.find((choice) => !taken.has(choice) && !taken.has(luaForm(choice)))!
    taken.add(key).add(luaForm(key))
    return key === name ? param : { ...param, key }
  })
}

function luaForm(name: string): string {
  return name.replace(/[^A-Za-z0-9_]+/g, '_')
}

/** Names on Object.prototype would look like given values. */
function isUsable(name: string): boolean {
  return /^[A-Za-z_]/.test(name) && !isLuaKeyword(name) && !(name in Object.prototype)
}

function usable(name: string): string {
  return /^\d/.test(name) ? `_${name}` : `${name}_`
}
