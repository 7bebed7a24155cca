/** Ways into the store that are less common: background runs, patches that are undone, copies. */
import { describe, expect, it } from 'vitest'
import { sweep } from '../../src/operations/sweep/sweep.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeRunsApp } from '../support/run-queue.ts'
import { makeQuotaApp, marksOf, storedFiles } from './make-quota-app.ts'

const DAY_MS = 24 * 3600 * 1000

describe('background runs', () => {
  it('count their files and themselves, but not their records', async () => {
    const storage = memoryStorage()
    const env = { QUOTA_BYTES: '1000', QUOTA_RUNS_DAY: '2' }
    const app = await makeRunsApp({ storage, env })
    const script = 'print(("l"):rep(5000)) io.open("a", "w"):write(("x"):rep(900)):close()'
    const { id } = await app.start(script)
    await app.deliver()
    expect((await app.get(id)).status).toBe('succeeded')
    const usage = (await (await app.send('/usage')).json()) as Record<string, { used: number }>
    expect(usage).toMatchObject({ stored_bytes: { used: 900 }, runs_today: { used: 1 } })
    const second = await app.start('io.open("b", "w"):write(("x"):rep(200)):close()')
    await app.deliver()
    const { status, answer } = await app.get(second.id)
    expect([status, answer?.error?.kind]).toEqual(['failed', 'limit'])
    expect((await app.post({ script, background: true })).status).toBe(429)
  })

  it('keep the quotas of the token that started them', async () => {
    const storage = memoryStorage()
    const app = await makeRunsApp({ storage })
    const script = 'io.open("a", "w"):write(("x"):rep(200)):close()'
    const { id } = await app.start(script, {}, { quota_bytes: 100 })
    await app.deliver()
    expect((await app.get(id)).answer?.error?.kind).toBe('limit')
    expect(await storedFiles(storage, app.tenant)).toEqual({ bytes: 0, objects: 0 })
  })

  it('with the same key count once', async () => {
    const app = await makeRunsApp({ storage: memoryStorage(), env: { QUOTA_RUNS_DAY: '1' } })
    const key = { 'Idempotency-Key': 'once' }
    for (let i = 0; i < 3; i++) {
      expect((await app.post({ script: 'return 1' }, key)).status).toBe(200)
    }
    expect((await app.post({ script: 'return 1' })).status).toBe(429)
  })
})

describe('the sweep', () => {
  it('deletes the counters of past days, and nothing that still counts', async () => {
    const storage = memoryStorage()
    const env = { QUOTA_BYTES: '1000', QUOTA_RUNS_DAY: '9' }
    const app = await makeRunsApp({ storage, env })
    await app.run('io.open("a", "w"):write("x"):close()')
    const before = await marksOf(storage, app.tenant)
    await sweep(app.service)
    expect(await marksOf(storage, app.tenant)).toEqual(before)
    app.pass(5 * DAY_MS)
    await sweep(app.service)
    const left = await marksOf(storage, app.tenant)
    expect(left).toEqual(before.filter((name) => !name.startsWith('runs/')))
    expect(left.length).toBeGreaterThan(0)
  })
})

describe('a patch', () => {
  const patch = `--- a/one.txt
+++ b/one.txt
@@ -1 +1 @@
-${'a'.repeat(300)}
+${'b'.repeat(300)}
--- /dev/null
+++ b/two.txt
@@ -0,0 +1 @@
+${'c'.repeat(900)}
`

  it('that does not fit is undone, although undoing takes room', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.run(`io.open("one.txt", "w"):write(("a"):rep(300), "\\n"):close()`)
    const response = await app.send('/fs/patch', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ patch }),
    })
    expect(response.status).toBe(507)
    expect(await response.text()).toContain('Nothing was changed.')
    expect(await app.stored()).toMatchObject({ 'users/alice/one.txt': `${'a'.repeat(300)}\n` })
    expect(await app.filesOf()).toEqual({ bytes: 301, objects: 1 })
    expect((await app.usage()).stored_bytes.used).toBeGreaterThanOrEqual(301)
  })
})

describe('a rename', () => {
  it('takes room for its target, and gives that of its source back at the next count', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.run('io.open("a", "w"):write(("x"):rep(400)):close()')
    const answer = await app.run('assert(os.rename("a", "b"))')
    expect(answer.error).toBeUndefined()
    expect((await app.write('c', 600)).status).toBe(200)
    expect(await app.filesOf()).toEqual({ bytes: 1000, objects: 2 })
  })
})

describe('commit: on_success', () => {
  it('stores nothing of a run that fails, and takes no room', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const script = 'io.open("a", "w"):write(("x"):rep(900)):close() error("no")'
    await app.run(script, { commit: 'on_success' })
    expect([app.requests, await app.marks()]).toEqual([[], []])
  })
})
