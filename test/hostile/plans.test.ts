/** Plans: nothing is changed, and nobody learns more than from a run. */
import { describe, expect, it } from 'vitest'
import { makeMcp } from '../mcp/make-mcp.ts'
import { makeApp, type Answer } from '../support/make-app.ts'
import { makeCounted } from '../support/plan-and-run.ts'
import { API_SECRET, makeApiApp } from './api-app.ts'

const PLAN = { plan: true }

describe('a plan at APIs', () => {
  it('sends no call that may write, however it is made', async () => {
    const { run, requests } = await makeApiApp(() => Response.json({}))
    const script = `
      local f = sdk.things.list_things_of_kind_1
      f{body = "a"}
      sdk.parallel{{f, {body = "b"}}, {f, {body = "c"}}}
      pcall(sdk.dump, f, {body = "d"}, {save_to = "output/d.jsonl"})
      for _ in sdk.pages(f, {body = "e"}) do end
      coroutine.wrap(function() f({body = "f"}, {save_to = "output/f.json"}) end)()
      return setmetatable({}, {__close = function() f{body = "g"} end})`
    const answer = await run(script, PLAN)
    expect([answer.error, requests]).toEqual([undefined, []])
    expect(answer.plan).toMatchObject({ complete: false, files: [], unsent_calls: [{ count: 6 }] })
  })

  it('names functions, never arguments or credentials', async () => {
    const { run } = await makeApiApp(() => Response.json({}))
    const answer = await run('sdk.things.list_things_of_kind_1{body = "card 4242"}', PLAN)
    expect(JSON.stringify(answer)).not.toContain('4242')
    expect(JSON.stringify(answer)).not.toContain(API_SECRET)
  })

  it('ends at the limit of calls, though none is sent', async () => {
    const { run } = await makeApiApp(() => Response.json({}), { limits: { apiCalls: 5 } })
    const script = 'while true do sdk.things.list_things_of_kind_1{body = "x"} end'
    const answer = await run(script, PLAN)
    expect(answer.error).toMatchObject({ kind: 'limit' })
    expect(answer.plan!.unsent_calls).toMatchObject([{ count: 6 }])
  })
})

describe('a plan of files', () => {
  it('needs the scopes of a run', async () => {
    const { run, post } = await makeApp()
    const reader = await run('return pcall(io.open, "a", "w")', PLAN, {
      scope: 'execute files:read',
    })
    expect(reader.result).toBe(false)
    expect(reader.plan!.files).toEqual([])
    const refused = await post({ script: 'return 1', plan: true }, {}, { scope: 'files:read' })
    expect(refused.status).toBe(403)
  })

  it('without files:read tells nothing of what others wrote', async () => {
    const { run } = await makeApp()
    await run('file.save("secret.txt", "a secret") file.save("own.txt", "old secret")')
    const script = `io.open("secret.txt", "a"):write("x"):close()
      io.open("own.txt", "w"):write("mine"):close()
      os.rename("secret.txt", "taken.txt")
      os.remove("secret.txt")`
    const answer = await run(script, PLAN, { scope: 'execute files:write' })
    expect(JSON.stringify(answer)).not.toContain('secret"')
    expect(answer.plan!.files.map(({ name, sha256, diff }) => [name, !!sha256, diff])).toEqual([
      ['own.txt', true, undefined],
      ['secret.txt', false, undefined],
      ['taken.txt', false, undefined],
    ])
  })

  it('stays within the paths of the token and its own area', async () => {
    const { run } = await makeApp()
    await run('file.save("a.txt", "of alice")', {}, { sub: 'alice' })
    const other = await run('file.save("a.txt", "of bob")', PLAN, { sub: 'bob' })
    expect(other.plan!.files[0]!.diff).toContain('--- /dev/null')
    const outside = await run('file.save("a.txt", "x")', PLAN, { paths: ['output/'] })
    expect([outside.error?.kind, outside.plan!.files]).toEqual(['runtime', []])
  })

  it('has no diffs of bytes, and short ones of texts', async () => {
    const { run, writes } = await makeCounted()
    await run('file.save("long.txt", ("old line\\n"):rep(4000))')
    writes.length = 0
    const answer = await run(
      `file.save("nul.txt", "a\\0b") file.save("latin.txt", "\\xe9")
      file.save("huge.txt", ("x"):rep(70000)) file.save("lines.txt", ("line\\n"):rep(10000))
      file.save("long.txt", ("new line\\n"):rep(4000))
      for i = 1, 60 do file.save("many/" .. i, ("y\\n"):rep(2000)) end`,
      PLAN,
    )
    const diffs = answer.plan!.files.map(({ diff = '' }) => diff.length)
    const named = answer.plan!.files.flatMap(({ name, diff }) => (diff ? [name] : []))
    expect(named.every((name) => name.startsWith('many/'))).toBe(true)
    expect(named.length).toBeGreaterThan(3)
    expect(diffs.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(131_072)
    expect(writes).toEqual([])
  })

  it('gives a model a short answer', async () => {
    const { call } = await makeMcp()
    const script = `for i = 1, 200 do file.save("many/" .. i, ("line\\n"):rep(500)) end
      for i = 1, 5000 do print("a long log line", i) end`
    const { structuredContent } = await call<Answer>('execute_script', { script, plan: true })
    const { plan, logs, files_touched } = structuredContent
    expect(files_touched).toEqual([])
    const shown = plan!.files.length
    expect(shown).toBeGreaterThan(3)
    expect(plan).toMatchObject({ complete: true, more_files: 200 - shown })
    expect(logs[0]).toMatch(/^\[\d+ earlier lines are left out\]$/)
    expect(JSON.stringify(structuredContent).length).toBeLessThan(32_768)
  })

  it('keeps to the memory of a run', async () => {
    const { run } = await makeApp({ limits: { residentBytes: 2 ** 20, writeBytes: 2 ** 26 } })
    const script = `local part = ("x"):rep(2^19)
      for i = 1, 40 do local f = io.open("f" .. i, "w") f:write(part) f:close() io.list() end`
    const answer = await run(script, PLAN)
    expect([answer.error, answer.plan!.files.length]).toEqual([undefined, 40])
  })
})
