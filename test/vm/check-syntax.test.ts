/** A script that is only compiled gets the same message as one that is run. */
import { expect, it } from 'vitest'
import { loadLua } from '#lua-wasm'
import { checkSyntax } from '../../src/vm/check-syntax.ts'
import { runLua } from '../support/run-lua.ts'

const lua = await loadLua()

it.each([
  'local y = = 2',
  '#!/usr/bin/lua\nlocal x = 1\nfor',
  'x = "never closed',
  'return (\n'.repeat(3),
  'goto nowhere',
  'break',
  '\u001bLua',
  'local <const> x',
  'x = [==[ open',
  '"ä" = 1',
])('refuses %j as a run does', async (script) => {
  const { error } = await runLua(script)
  expect(error?.kind).toBe('syntax')
  const found = checkSyntax(lua, script)
  expect(found).toEqual({
    kind: 'syntax',
    message: error!.message,
    ...(error!.line !== undefined && { line: error!.line }),
  })
})

it.each(['', 'return 1', '#!only', 'while true do end', 'error("not run")', 'os.remove("a")'])(
  'finds nothing wrong with %j, and does not run it',
  (script) => {
    expect(checkSyntax(lua, script)).toBeNull()
  },
)

it('checks a long script', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `x${i} = { ${i}, "text" }`)
  expect(checkSyntax(lua, lines.join('\n'))).toBeNull()
  expect(checkSyntax(lua, `${lines.join('\n')}\nend`)?.line).toBe(20_001)
})

it('gives up on a script that needs more memory than a run has', () => {
  expect(() => checkSyntax(lua, `x = "${'y'.repeat(70_000_000)}"`)).toThrow(/memory/)
})
