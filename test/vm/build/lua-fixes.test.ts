/** Each fix is needed: without it, at least one of its scripts has another outcome. */
import { describe, expect, it } from 'vitest'
import { readGlue } from '../../../src/vm/build/build.ts'
import { LUA_FIXES } from '../../../src/vm/build/lua-fixes.ts'
import { makeLua } from '../../../src/vm/build/make-lua.ts'
import { FIX_SCRIPTS, type FixScript } from '../../support/lua-fix-scripts.ts'
import { runLua } from '../../support/run-lua.ts'

it('has scripts for exactly the fixes that are applied', () => {
  const commits = LUA_FIXES.map(({ commit }) => commit)
  expect(new Set(FIX_SCRIPTS.map(({ commit }) => commit))).toEqual(new Set(commits))
})

describe('without the fix', () => {
  it.each(LUA_FIXES)('$commit a script fails', async ({ commit, coveredBy }) => {
    const scripts = FIX_SCRIPTS.filter((script) => script.commit === commit)
    const right = scripts.map((script) => script.right)
    if (!coveredBy) return expect(await outcomes(scripts, [commit])).not.toEqual(right)
    expect(await outcomes(scripts, [commit, coveredBy])).not.toEqual(right)
    expect(await outcomes(scripts, [coveredBy])).toEqual(right)
  })
})

/** What the scripts give in a build that lacks some fixes. */
async function outcomes(scripts: readonly FixScript[], withoutFixes: readonly string[]) {
  const binary = makeLua(readGlue(), { withoutFixes })
  const module = new WebAssembly.Module(new Uint8Array(binary))
  return Promise.all(
    scripts.map(({ script }) =>
      runLua(script, { module, mayBreak: true, limits: { fuel: 1_000_000_000 } }).then(
        ({ result, error }) => (error ? error.message : result),
      ),
    ),
  )
}
