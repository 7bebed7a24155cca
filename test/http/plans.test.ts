/** `plan: true`: what a run would store and send. */
import { describe, expect, it } from 'vitest'
import { countingStorage } from '../support/counting-storage.ts'
import { makeApp, runtimeStorage } from '../support/make-app.ts'
import { makeCounted, planAndRun } from '../support/plan-and-run.ts'
import { readEvents, collect } from '../support/read-events.ts'
import { testQueue } from '../support/run-queue.ts'
import { makeApiApp } from '../hostile/api-app.ts'

const PLAN = { plan: true }

describe('a plan', () => {
  it('lists what the run would write, with diffs, and no links', async () => {
    const { run, writes } = await makeCounted()
    await run('file.save("notes.txt", "one\\ntwo\\n") file.save("old.txt", "x")')
    writes.length = 0
    const answer = await run(
      `local f = io.open("notes.txt", "a") f:write("three\\n") f:close()
      os.remove("old.txt") print("done") return file.save("new/a.txt", "no end")`,
      PLAN,
    )
    const digest = { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }
    expect(answer).toEqual({
      result: 'new/a.txt',
      logs: ['done'],
      files_touched: [],
      plan: {
        complete: true,
        files: [
          {
            name: 'new/a.txt',
            op: 'write',
            bytes: 6,
            ...digest,
            diff: '--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1,1 @@\n+no end\n\\ No newline at end of file\n',
          },
          {
            name: 'notes.txt',
            op: 'append',
            bytes: 14,
            ...digest,
            diff: '--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three\n',
          },
          {
            name: 'old.txt',
            op: 'remove',
            bytes: 0,
            diff: '--- a/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n',
          },
        ],
        unsent_calls: [],
      },
    })
    expect(writes).toEqual([])
  })

  it('has diffs that a patch applies', async () => {
    const { run, send } = await makeApp()
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`).join('\\n')
    await run(`file.save("a.txt", "${lines}")`)
    const script = `local f = io.open("a.txt", "r+") local t = f:read("a")
      t = t:gsub("line 5\\n", "five\\n"):gsub("line 100\\n", "") .. "\\nend"
      f:close() file.save("a.txt", t) return t`
    const planned = await run(script, PLAN)
    const [row] = planned.plan!.files
    const body = JSON.stringify({ patch: row!.diff })
    expect((await send('/fs/patch', { method: 'POST', body })).status).toBe(200)
    expect((await run('return io.open("a.txt"):read("a")')).result).toBe(planned.result)
  })

  it('reads what it would write: closed, renamed, listed, and in formats', async () => {
    // Archives hold the time.
    const now = new Date()
    const made = await makeCounted({ now: () => now })
    await made.run(
      'file.save("in/a.csv", "id,name\\n1,x\\n") file.save("in/b.txt", ("b"):rep(1000))',
    )
    await planAndRun(made, {
      script: `gzip.compress("in/b.txt", "out/b.gz")
      gzip.decompress("out/b.gz", "out/b.txt")
      zip.create("out/all.zip", {"in"}) zip.extract("out/all.zip", "unpacked")
      parquet.write("out/p.parquet", {{id = 1}, {id = 2}}, {columns = {"id"}})
      os.rename("in/b.txt", "in/c.txt") os.rename("in/c.txt", "moved/c.txt")
      os.remove("in/a.csv")
      local rows = 0
      for _ in parquet.rows("out/p.parquet") do rows = rows + 1 end
      local lines = {}
      for line in io.lines("unpacked/in/a.csv") do lines[#lines + 1] = line end
      return {rows, lines, io.list("."), io.list("out"), io.open("in/b.txt"), (io.list("in"))}`,
    })
  })

  it('of a failing script tells what would be stored', async () => {
    const { run } = await makeApp()
    const script = 'file.save("a.txt", "a") error("no")'
    const kept = await run(script, PLAN)
    expect(kept.error?.kind).toBe('runtime')
    expect(kept.plan!.files.map(({ name, stored }) => [name, stored])).toEqual([
      ['a.txt', undefined],
    ])
    const dropped = await run(script, { ...PLAN, commit: 'on_success' })
    expect(dropped.plan!.files).toEqual([{ name: 'a.txt', op: 'write', bytes: 1, stored: false }])
  })

  it('has events for its logs, and none for files', async () => {
    const { post } = await makeApp()
    const body = { script: 'print("hi") file.save("a.txt", "a")', plan: true }
    const events = await collect(readEvents(await post(body, { Accept: 'text/event-stream' })))
    expect(events.map(([name]) => name)).toEqual(['log', 'result', 'stats'])
  })

  it('leaves an idempotency key to the run', async () => {
    const { post, writes } = await makeCounted()
    const send = (plan: boolean) =>
      post({ script: 'file.save("a.txt", "a")', plan }, { 'Idempotency-Key': 'k' })
    expect((await send(true)).status).toBe(200)
    expect(writes).toEqual([])
    expect((await send(false)).status).toBe(200)
  })

  it('is not for the background', async () => {
    const { post, send } = await makeApp({ runQueue: testQueue() })
    const script = 'return 1'
    const asked = [
      await post({ script, plan: true, background: true }),
      await post({ script, plan: true }, { Prefer: 'respond-async' }),
      await post({ script, plan: true, notify: 'https://hooks.example/' }),
      await post({ script, plan: true, background: true, notify: 'https://hooks.example/' }),
      await send('/runs', { method: 'POST', body: JSON.stringify({ script, plan: true }) }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
  })

  it('is held to the quotas of the day, and uses none', async () => {
    const { post, run, writes } = await makeCounted({ env: { QUOTA_RUNS_DAY: '1' } })
    const plan = () => post({ script: 'return 1', plan: true })
    expect([(await plan()).status, (await plan()).status]).toEqual([200, 200])
    expect(writes).toEqual([])
    await run('return 1')
    expect((await plan()).status).toBe(429)
  })

  it('is in the log as a plan', async () => {
    const { run, events } = await makeApp()
    await run('file.save("a.txt", "a")', PLAN)
    expect(events).toMatchObject([{ event: 'run', outcome: 'ok', bytes: 0, files: 0, plan: true }])
  })
})

describe('APIs of a plan', () => {
  it('get calls that read; the others answer {} and are listed', async () => {
    const { run, requests } = await makeApiApp(() => Response.json({ parts: 3 }))
    const answer = await run(
      `local read = sdk.things.get_thing{id = "a"}
      local none = sdk.things.list_things_of_kind_1{body = "secret"}
      sdk.things.list_things_of_kind_1{body = "again"}
      sdk.things.list_things_of_kind_2({body = "x"}, {save_to = "output/x.json"})
      local dumped = sdk.dump(sdk.things.list_things_of_kind_3, {body = "x"}, {save_to = "output/y.jsonl"})
      local pages = 0
      for page in sdk.pages(sdk.things.list_things_of_kind_4, {body = "x"}) do pages = pages + 1 end
      return {read.parts, next(none) == nil, next(dumped) == nil, pages}`,
      PLAN,
    )
    expect(answer.error).toBeUndefined()
    expect(answer.result).toEqual([3, true, true, 1])
    expect(requests.map(({ init }) => init.method)).toEqual(['GET'])
    const unsent = (kind: number, count = 1) => ({
      api: 'things',
      function: `list_things_of_kind_${kind}`,
      method: 'POST',
      count,
    })
    expect(answer.plan).toEqual({
      complete: false,
      files: [],
      unsent_calls: [unsent(1, 2), unsent(2), unsent(3), unsent(4)],
    })
  })

  it('are saved nowhere, and can be read again', async () => {
    const { storage, writes } = countingStorage(await runtimeStorage())
    const { run } = await makeApiApp(() => Response.json({ parts: 3 }), { storage })
    const answer = await run(
      `local saved = sdk.things.get_thing({id = "a"}, {save_to = "output/x.json"})
      return {saved.bytes, io.open("output/x.json"):read("a")}`,
      PLAN,
    )
    expect(answer.result).toEqual([11, '{"parts":3}'])
    expect(answer.plan!.files).toMatchObject([{ name: 'output/x.json', op: 'write', bytes: 11 }])
    expect(writes).toEqual([])
  })
})
