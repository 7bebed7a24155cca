/** Builds are reproducible, and a build without one of Lua's fixes fails that fix's scripts. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { readGlue } from '../../../infra/build/lua/build.ts'
import { LUA_FIXES } from '../../../infra/build/lua/lua-fixes.ts'
import { makeLua } from '../../../infra/build/lua/snapshot.ts'
import { FIX_SCRIPTS, type FixScript } from '../../support/lua-fix-scripts.ts'
import { runLua } from '../../support/run-lua.ts'

// A build takes seconds of a core, and the cores may be busy.
vi.setConfig({ testTimeout: 300_000 })

it('the build gives the same bytes again', async () => {
  const built = await readFile(new URL('../../../src/vm/lua.wasm', import.meta.url))
  expect(built.equals(makeLua(readGlue()))).toBe(true)
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
