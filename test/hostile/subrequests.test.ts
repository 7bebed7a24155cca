/** A run ends before the platform would end it for the requests it makes. */
import { describe, expect, it } from 'vitest'
import type { RunLimits } from '../../src/limits.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { isAll } from '../support/tier.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { makeApiApp, type ApiFetch } from './api-app.ts'

const REFUSAL = (max: number) => `too many requests to the store and to APIs (max ${max} per run)`

/** A platform that counts what reaches the store and the API; deletions need tombstones. */
async function platform(
  limits: Partial<RunLimits>,
  answer: ApiFetch = () => Response.json({ ok: true }),
) {
  let asked = 0
  const { deleteIf: _, unfinishedUploads, ...plain } = memoryStorage()
  const storage: StorageDriver = watchedStorage(plain, () => void asked++)
  const made = await makeApiApp(answer, { storage, limits })
  return {
    ...made,
    unfinishedUploads,
    /** Of one file; `null` if there is none. */
    async bytesOf(name: string) {
      return (await plain.head(`${made.tenant}/users/alice/${name}`))?.bytes ?? null
    },
    /** Requests of one run. */
    async run(script: string, body: object = {}) {
      const apiBefore = made.requests.length
      asked = 0
      const answered = await made.run(script, body)
      return { ...answered, requests: asked + made.requests.length - apiBefore }
    },
  }
}

const CALL = 'sdk.things.get_thing{ id = "1" }'
const MANY = {
  'calls of an API': `for i = 1, 1000 do ${CALL} end`,
  'calls in parallel': `
    local calls = {}
    for i = 1, 1000 do calls[i] = {sdk.things.get_thing, {id = "1"}} end
    local _, errors = sdk.parallel(calls)
    error(errors[1000].message, 0)`,
  'files that are not there': 'for i = 1, 1000 do io.open("none" .. i) end',
  'files that are': 'for i = 1, 1000 do assert(io.open("a")) assert(io.open("b" .. i) == nil) end',
  'files that are written': `
    for i = 1, 1000 do io.open("out/" .. i, "w"):write("x"):close() io.open("none") end`,
  'files that are saved': 'for i = 1, 1000 do file.save("out/" .. i, "x") end',
  'files that are renamed': `
    for i = 1, 1000 do file.save("out/" .. i, "x") os.rename("out/" .. i, "to/" .. i) end`,
  'files that are removed': 'for i = 1, 1000 do os.remove("none" .. i) end',
  'listings of folders': 'for i = 1, 1000 do io.list("none" .. i) end',
  'all of them': `
    for i = 1, 1000 do
      ${CALL} file.save("out/" .. i, "x") io.open("out/" .. i, "a"):write("y"):close()
      os.rename("out/" .. i, "to/" .. i)
    end`,
}

describe.each(isAll ? [50, 200] : [50])('of %i requests', (subrequests) => {
  it.each(Object.entries(MANY))(
    '%s end with the limit, and what was written is stored',
    async (_, script) => {
      const { run, textsUnder, tenant } = await platform({ subrequests })
      await run('file.save("a", "x")')
      const { error, files_touched, requests } = await run(script)
      expect(error?.kind).toMatch(/^(?:limit|runtime)$/)
      expect(error?.message).toContain(REFUSAL(subrequests))
      expect(requests).toBeLessThanOrEqual(subrequests)
      expect(files_touched.filter(({ stored }) => stored === false)).toEqual([])
      const prefix = `${tenant}/users/alice/`
      const kept = files_touched.filter(({ op }) => op !== 'remove')
      const keys = kept.map(({ name }) => prefix + name)
      const stored = Object.keys(await textsUnder(prefix))
      expect(stored).toEqual(expect.arrayContaining(keys))
    },
  )
})

const MIB = 1024 * 1024
/** The least that can be set: a few parts of 8 MiB. */
const FEW = { subrequests: 20, writeBytes: 1024 * MIB }

describe('a large file', () => {
  it('that a script writes ends with the limit, and is stored so far', async () => {
    const { run, bytesOf, unfinishedUploads } = await platform(FEW)
    const { error, files_touched, requests } = await run(`
      local file, block = io.open("big", "w"), ("x"):rep(65536)
      while true do assert(file:write(block)) end`)
    expect(error).toMatchObject({ kind: 'limit', message: `script:3: ${REFUSAL(20)}` })
    expect(requests).toBeLessThanOrEqual(20)
    expect(files_touched).toMatchObject([{ name: 'big', op: 'write' }])
    const { bytes, stored } = files_touched[0]!
    expect([stored, bytes > 40 * MIB, await bytesOf('big')]).toEqual([undefined, true, bytes])
    expect(unfinishedUploads()).toEqual([])
  })

  it('that a script writes, two of them at once, can be caught', async () => {
    const { run, bytesOf } = await platform(FEW)
    const { result, error, requests } = await run(`
      local a, b, block = io.open("a", "w"), io.open("b", "w"), ("x"):rep(65536)
      local n, ok, problem = 0, true
      while ok do
        ok, problem = pcall(function() assert(a:write(block)) assert(b:write(block)) end)
        n = n + 1
      end
      a:close() b:close()
      return (problem:gsub("^script:%d+: ", ""))`)
    expect([error, result]).toEqual([undefined, REFUSAL(20)])
    expect(requests).toBeLessThanOrEqual(20)
    expect(await bytesOf('a')).toBeGreaterThan(16 * MIB)
  })

  const rows = `,{"text":"${'x'.repeat(1000)}"}`.repeat(1000)
  const endless: ApiFetch = () => {
    let isFirst = true
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(isFirst ? '{"items":[0' : rows))
        isFirst = false
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'application/json' } })
  }

  it.each(isAll ? ['', ', rows = "items"'] : [''])(
    'that never ends is not saved: %j',
    async (options) => {
      const { run, unfinishedUploads } = await platform(FEW, endless)
      const save = `sdk.things.get_thing({id = "1"}, {save_to = "big"${options}})`
      const { error, files_touched, requests } = await run(save)
      expect(error).toMatchObject({ kind: 'limit', message: expect.stringContaining(REFUSAL(20)) })
      expect([files_touched, unfinishedUploads()]).toEqual([[], []])
      expect(requests).toBeLessThanOrEqual(20)
    },
  )

  it('of a page that never ends is dumped so far', async () => {
    const { run, bytesOf, unfinishedUploads } = await platform(FEW, endless)
    const { result, error, logs, requests } = await run(
      'return sdk.dump(sdk.things.get_thing, {id = "1"}, {save_to = "big", rows = "items"})',
    )
    expect(error).toBeUndefined()
    expect(result).toMatchObject({ stopped: 'limit', next: expect.any(String) })
    expect(logs.at(-1)).toContain(REFUSAL(20))
    const { bytes, rows: taken } = result as { bytes: number; rows: number }
    // One row is a number.
    expect(bytes).toBe('0\n'.length + (taken - 1) * (rows.length / 1000))
    expect([await bytesOf('big'), unfinishedUploads()]).toEqual([bytes, []])
    expect(requests).toBeLessThanOrEqual(20)
  })
})

it('a script can catch it and end well', async () => {
  const { run } = await platform({ subrequests: 50 })
  const { result, error, files_touched } = await run(`
    file.save("first", "x")
    local calls, ok, problem = 0, true
    while ok do ok, problem = pcall(sdk.things.get_thing, {id = "1"}) calls = calls + 1 end
    return {calls > 20, problem.code, problem.message}`)
  expect(error).toBeUndefined()
  expect(result).toEqual([true, 'limit', REFUSAL(50)])
  expect(files_touched).toMatchObject([{ name: 'first', bytes: 1 }])
})

it('a run that stores nothing until it succeeds keeps enough for all its files', async () => {
  const { run } = await platform({ subrequests: 100 })
  const script = `
    local n = 0
    while pcall(file.save, "out/" .. n + 1, "x") do n = n + 1 end
    return n`
  const { result, files_touched, requests } = await run(script, { commit: 'on_success' })
  expect(result).toBeGreaterThan(30)
  expect(files_touched).toHaveLength(result as number)
  expect(files_touched.filter(({ stored }) => stored === false)).toEqual([])
  expect(requests).toBeLessThanOrEqual(100)
})

it('without a limit nothing is refused', async () => {
  const { run } = await platform({})
  const { result } = await run('for i = 1, 2000 do io.open("none" .. i) end return true')
  expect(result).toBe(true)
})

it('two thousand files fit into what Workers allow', async () => {
  const { run } = await platform({ subrequests: 10_000 })
  const { error, files_touched, requests } = await run(`
    for i = 1, 2000 do
      local f = io.open("in/" .. i)
      io.open("out/" .. i, "w"):write("x"):close()
    end`)
  expect(error).toBeUndefined()
  expect(files_touched).toHaveLength(2000)
  expect(requests).toBeLessThanOrEqual(10_000)
})
