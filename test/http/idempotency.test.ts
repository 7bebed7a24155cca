/** `Idempotency-Key`: requests that are repeated, at once and later, are one run. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { invalid, refusalOf } from '../support/call-route.ts'
import { dyingService } from '../support/dying-service.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { makeApp, ORIGIN, type Answer } from '../support/make-app.ts'
import { collect, readEvents } from '../support/read-events.ts'
import { LEASE_OVER_MS, makeRunsApp, type Run } from '../support/run-queue.ts'
import { createApp } from '../../src/app.ts'

const KEY = { 'Idempotency-Key': 'order-1' }
/** A line for each time it runs. */
const SCRIPT =
  'local f <close> = io.open("log", "a") f:write("ran\\n") print("x") return os.tmpname()'

/** The process of the first request died before it put an object of this kind. */
async function afterDeath(kind: 'answers' | 'records') {
  const made = await makeRunsApp({ storage: memoryStorage() })
  const at = (request: string, key: string) => request === 'put' && key.includes(`/${kind}/`)
  const { service, died } = dyingService(made.service, { when: 'before', at })
  const headers = { Authorization: `Bearer ${await made.tokenOf()}`, ...KEY }
  const body = JSON.stringify({ script: SCRIPT })
  void createApp({ service }).request(`${ORIGIN}/execute`, { method: 'POST', headers, body })
  await died
  made.pass(LEASE_OVER_MS)
  return made
}

describe('requests with one key', () => {
  it('50 at once are one run', async () => {
    const { post, stored } = await makeApp()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => post({ script: SCRIPT }, KEY)),
    )
    const answers = (await Promise.all(responses.map((response) => response.json()))) as Answer[]
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(answers.map(({ result }) => result)).size).toBe(1)
    expect((await stored())['users/alice/log']).toBe('ran\n')
  })

  it('50 at once in the background are one run', async () => {
    const { post, deliver, queue, stored } = await makeRunsApp()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => post({ script: SCRIPT, background: true }, KEY)),
    )
    const runs = (await Promise.all(responses.map((response) => response.json()))) as { run: Run }[]
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(runs.map(({ run }) => run.id)).size).toBe(1)
    expect(queue.sent).toHaveLength(1)
    await deliver()
    const later = await post({ script: SCRIPT }, { ...KEY, Prefer: 'respond-async' })
    expect(await later.json()).toMatchObject({
      run: {
        ...runs[0]!.run,
        status: 'succeeded',
        log_lines: 1,
        started_at: expect.any(String) as string,
        ended_at: expect.any(String) as string,
      },
    })
    expect((await stored())['users/alice/log']).toBe('ran\n')
  })

  it('answer the same later, with new links', async () => {
    const { post, pass } = await makeRunsApp()
    const body = { script: 'file.save("a", "1") return os.tmpname()' }
    const first = (await (await post(body, KEY)).json()) as Answer
    pass(3_600_000)
    const second = (await (await post(body, KEY)).json()) as Answer
    expect(second.result).toBe(first.result)
    expect(second.files_touched[0]!.link).not.toBe(first.files_touched[0]!.link)
  })

  it('and another body are refused', async () => {
    const { post } = await makeApp()
    await post({ script: 'return 1' }, KEY)
    for (const body of [{ script: 'return 2' }, { script: 'return 1', args: 1 }]) {
      expect(await refusalOf(await post(body, KEY))).toBe(
        invalid('Idempotency-Key: was used for another request; use a new key'),
      )
    }
  })

  it('of other users, scopes or paths are other runs', async () => {
    const { post } = await makeApp()
    const ask = async (claims: object) =>
      ((await (await post({ script: 'return os.tmpname()' }, KEY, { ...claims })).json()) as Answer)
        .result
    const results = [
      await ask({}),
      await ask({ sub: 'bob' }),
      await ask({ sub: undefined }),
      await ask({ scope: 'execute files:write' }),
      await ask({ paths: ['output'] }),
      await ask({ paths: ['tmp', 'output'] }),
    ]
    expect(new Set(results).size).toBe(results.length)
    expect(await ask({ paths: ['output', 'tmp'] })).toBe(results.at(-1))
  })

  it('start another run after a day', async () => {
    const { post, pass } = await makeRunsApp()
    const ask = async () =>
      ((await (await post({ script: 'return os.tmpname()' }, KEY)).json()) as Answer).result
    const first = await ask()
    pass(23 * 3_600_000)
    expect(await ask()).toBe(first)
    pass(3_600_000)
    expect(await ask()).not.toBe(first)
  })

  it('get the answer of a run whose client has gone', async () => {
    const { storage, reached, open } = await gatedStorage()
    const { app, tokenOf, post } = await makeApp({ storage })
    const script = 'io.open("gate") return 1'
    const left = new AbortController()
    const headers = { Authorization: `Bearer ${await tokenOf()}`, ...KEY }
    const init = { method: 'POST', headers, body: JSON.stringify({ script }), signal: left.signal }
    const first = Promise.resolve(app.request(`${ORIGIN}/execute`, init)).catch(() => undefined)
    await reached
    left.abort()
    const second = post({ script }, KEY)
    open()
    expect(await (await second).json()).toMatchObject({ result: 1, logs: [] })
    await first
  })

  it('get events, too', async () => {
    const { post } = await makeApp()
    const events = { ...KEY, Accept: 'text/event-stream' }
    const body = { script: 'print("x") file.save("a", "1") return 1' }
    const first = await collect(readEvents(await post(body, events)))
    expect(first.map(([name]) => name)).toEqual(['log', 'file', 'result', 'stats'])
    expect(first[1]![1]).toMatchObject({ name: 'a', link: expect.any(String) as string })
    const second = await collect(readEvents(await post(body, events)))
    expect(second.map(([name]) => name)).toEqual(['log', 'result', 'stats'])
  })

  it('get what a run stored whose process died', async () => {
    const made = await afterDeath('answers')
    expect(await (await made.post({ script: SCRIPT }, KEY)).json()).toMatchObject({
      result: null,
      files_touched: [{ name: 'log', bytes: 4 }],
      error: { kind: 'runtime' },
    })
    expect((await made.stored())['users/alice/log']).toBe('ran\n')
  })

  it('start the run if a process died before it did', async () => {
    const made = await afterDeath('records')
    expect(await (await made.post({ script: SCRIPT }, KEY)).json()).toMatchObject({ logs: ['x'] })
    expect((await made.stored())['users/alice/log']).toBe('ran\n')
  })

  it('can be used again after a refusal', async () => {
    const { post, stored } = await makeApp()
    const long = { script: `--${'x'.repeat(1024 * 1024)}` }
    expect((await post(long, KEY)).status).toBe(413)
    expect((await post({ script: 'return 1' }, KEY)).status).toBe(200)
    expect(Object.keys(await stored()).filter((key) => key.includes('/records/'))).toHaveLength(1)
  })
})

it.each(['', 'a b', 'ä', 'x'.repeat(256)])('%o is no key', async (key) => {
  const { post } = await makeApp()
  const response = await post({ script: '' }, { 'Idempotency-Key': key })
  expect(response.status).toBe(422)
})
