/** Upstream's fixes of Lua are in the build: each script has the fixed outcome. */
import { describe, expect, it } from 'vitest'
import { LUA_FIXES } from '../../infra/build/lua/lua-fixes.ts'
import { FIX_SCRIPTS } from '../support/lua-fix-scripts.ts'
import { runLua } from '../support/run-lua.ts'

describe('a fix of upstream', () => {
  it('has a script, and every script a fix', () => {
    const commits = LUA_FIXES.map(({ commit }) => commit)
    expect(new Set(FIX_SCRIPTS.map(({ commit }) => commit))).toEqual(new Set(commits))
  })

  it.each(FIX_SCRIPTS)('$file', async ({ script, right }) => {
    const { result, error } = await runLua(script)
    expect({ result, error }).toEqual({ result: right })
  })
})
