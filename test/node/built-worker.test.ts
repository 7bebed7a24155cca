/** The Worker as it is deployed, over real HTTP: the suites of every runtime, and runs at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { RunEvent } from '../../src/operations/log-event.ts'
import { describeLinks } from '../runtime/suite-links.ts'
import { describeRuns } from '../runtime/suite-runs.ts'
import { callerOf } from '../support/caller.ts'
import { fetchAnew } from '../support/fetch-anew.ts'
import type { Answer } from '../support/make-app.ts'
import { isAll } from '../support/tier.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { sharedWorker, startWorker } from './start-worker.ts'

const worker = await sharedWorker()
// Others use the same Worker, and tenants of the same names.
const caller = callerOf(() => worker.origin, `-${crypto.randomUUID()}`)
const { post, run } = caller

// Under `npm run test:all`, test/runtime/workers.slow.test.ts runs these and the others.
if (!isAll) {
  describeRuns(caller)
  describeLinks(caller)
}

it('a run ends when nobody reads its events any more', async () => {
  const tenant = 'leaves'
  const leave = new AbortController()
  // Locally workerd notices only when it writes to a connection that is gone.
  const script = 'while true do print("still here") io.list("share") end'
  const response = await post(
    tenant,
    '/execute',
    { script },
    { headers: { Accept: 'text/event-stream' }, signal: leave.signal },
  )
  await response.body!.getReader().read()
  leave.abort()
  const ending = () =>
    worker.events.find((event) => event.event === 'run' && event.tenant.startsWith(`${tenant}-`))
  while (!ending()) await sleep(10)
  expect(ending()).toMatchObject({ outcome: 'timeout' })
  // Not by its deadline.
  expect((ending() as RunEvent).ms).toBeLessThan(DEFAULT_LIMITS.runMs)
})

describe('runs at once', () => {
  it.runIf(isAll)(
    'with much memory are served or asked to come back, and harm nobody',
    async () => {
      const tenant = 'memory'
      const script = `
      local held = {}
      for i = 1, 20 do
        held[i] = ("x"):rep(1024 * 1024)
        if i % 5 == 0 then io.list("share") end
      end
      return #held`
      const responses = await Promise.all(
        Array.from({ length: 30 }, () => post(tenant, '/execute', { script })),
      )
      const told = await Promise.all(
        responses.map(async (response) => [
          response.status,
          ((await response.json()) as Partial<Answer>).result ?? 'none',
          response.headers.has('Retry-After'),
        ]),
      )
      const served = told.filter(([status]) => status === 200)
      const refused = told.filter(([status]) => status !== 200)
      expect(served.length).toBeGreaterThan(0)
      expect(new Set(served.map(String))).toEqual(new Set(['200,20,false']))
      expect(new Set(refused.map(String)).size).toBeLessThanOrEqual(1)
      for (const refusal of refused) expect(refusal).toEqual([503, 'none', true])
      expect((await run(tenant, 'return "alive"')).result).toBe('alive')
    },
  )
})

describe('a start', () => {
  it('finds what was stored before it', async () => {
    const persist = tempFolder()
    const script = 'local file = io.open("a.txt", "a") file:write("kept") file:close()'
    const tenant = 'restarts'
    const first = await startWorker({ persist })
    const { files_touched: rows } = await callerOf(() => first.origin).run(tenant, script)
    await first.stop()

    const second = await startWorker({ persist })
    const again = callerOf(() => second.origin)
    const { result } = await again.run(tenant, 'return io.open("a.txt"):read("a")')
    expect(result).toBe('kept')
    const response = await fetchAnew(rows[0]!.link!.replace(first.origin, second.origin))
    expect(await response.text()).toBe('kept')
    await second.stop()
  })

  it('with a wrong setting fails with a line that names it', async () => {
    const started = startWorker({ vars: { FUEL: 'much' } })
    await expect(started).rejects.toThrow('InvalidConfig: FUEL: must be a whole number above 0')
  })
})
