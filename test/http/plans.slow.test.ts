/** Plans of random and of large work on files. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { operation, SCRIPT, stored } from '../fuzz/files.ts'
import { makeCounted, planAndRun } from '../support/plan-and-run.ts'

const SCRIPTS = 100
const SEED = `for path, text in pairs(args) do file.save(path, text) end`

it(`${SCRIPTS} random plans tell what the runs that follow do`, async () => {
  const made = await makeCounted()
  const samples = fc.sample(
    fc.tuple(stored, fc.array(operation, { minLength: 10, maxLength: 40 }), fc.boolean()),
    { numRuns: SCRIPTS, seed: 20_261_118 },
  )
  let rows = 0
  for (const [texts, args, isOnSuccess] of samples) {
    const claims = { sub: crypto.randomUUID() }
    await made.run(SEED, { args: texts }, claims)
    const body = { args, commit: isOnSuccess ? 'on_success' : 'on_close' }
    const plan = await planAndRun(made, { script: SCRIPT, body, claims })
    expect(plan.complete).toBe(true)
    rows += plan.files.length
  }
  expect(rows).toBeGreaterThan(SCRIPTS)
})

it('follows large files that are written forward, moved and read again', async () => {
  const plan = await planAndRun(await makeCounted(), {
    script: `local f = io.open("large.bin", "w") local part = ("0123456789abcdef"):rep(65536)
    for _ = 1, 20 do f:write(part) end f:close()
    os.rename("large.bin", "moved.bin")
    local g = io.open("moved.bin") g:seek("set", 20 * 2^20 - 3) local tail = g:read("a") g:close()
    return tail`,
  })
  expect(plan.complete).toBe(true)
})

it('counts and hashes what does not fit into memory, and says that it is not complete', async () => {
  const { run } = await makeCounted({ limits: { residentBytes: 8 * 2 ** 20 } })
  const script = `local part = ("x"):rep(2^20)
    for i = 1, 12 do local f = io.open("f" .. i, "w") f:write(part) f:close() end
    local read = 0
    for i = 1, 12 do
      local f = io.open("f" .. i) local all, _, number = f:read("a")
      if all then read = read + 1 else assert(number == 27) end
      f:close()
    end
    return read < 12`
  const planned = await run(script, { plan: true })
  expect([planned.error, planned.plan!.files.length]).toEqual([undefined, 12])
  expect(new Set(planned.plan!.files.map(({ sha256 }) => sha256)).size).toBe(1)
  expect(planned.plan!.complete).toBe(!planned.result)
  const done = await run(script)
  expect(done.result).toBe(false)
})
