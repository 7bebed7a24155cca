/** Runs in the background: started, read, listed and cancelled over HTTP. */
import { describe, expect, it, vi } from 'vitest'
import { refusalOf, invalid } from '../support/call-route.ts'
import { LINKED } from '../support/linked.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { makeApp } from '../support/make-app.ts'
import { LEASE_OVER_MS, makeRunsApp, type Run } from '../support/run-queue.ts'

const NOW = new Date('2026-11-16T09:00:00Z')
const TIME = '2026-11-16T09:00:00Z'
const ID = expect.stringMatching(/^[0-9a-f]{24}$/) as string

describe('a run in the background', () => {
  it('is accepted with its address and goes on without its client', async () => {
    const { post, get, deliver, queue } = await makeRunsApp({ now: () => NOW })
    const script = 'print("hello") file.save("output/a.txt", "abc") return {n = 2^53 + 0.0}'
    const response = await post({ script, background: true })
    expect(response.status).toBe(202)
    const { run } = (await response.json()) as { run: Run }
    const times = { created_at: TIME, started_at: null, ended_at: null }
    expect(run).toEqual({ id: ID, status: 'queued', ...times, log_lines: 0 })
    expect(response.headers.get('Location')).toBe(`/runs/${run.id}`)
    expect(await get(run.id)).toEqual(run)
    expect(queue.sent).toHaveLength(1)

    await deliver()
    expect(await get(run.id)).toEqual({
      id: run.id,
      status: 'succeeded',
      created_at: TIME,
      started_at: TIME,
      ended_at: TIME,
      log_lines: 1,
      answer: {
        result: { n: 9007199254740992 },
        logs: ['hello'],
        files_touched: [{ name: 'output/a.txt', op: 'write', bytes: 3, ...LINKED }],
      },
    })
  })

  it.each(['respond-async', 'wait=5, respond-async', 'Respond-Async; x=1'])(
    'is what `Prefer: %s` asks for',
    async (Prefer) => {
      const { post } = await makeRunsApp()
      expect((await post({ script: '' }, { Prefer })).status).toBe(202)
    },
  )

  it.each(['return=minimal', 'respond-async-not'])(
    'is not what `Prefer: %s` asks for',
    async (Prefer) => {
      const { post } = await makeRunsApp()
      expect((await post({ script: '' }, { Prefer })).status).toBe(200)
    },
  )

  it('starts at an address of its own too, with exact arguments', async () => {
    const { send, get, deliver } = await makeRunsApp()
    const body = '{"script": "return args", "args": 9007199254740993}'
    const response = await send('/runs', { method: 'POST', body })
    const { run } = (await response.json()) as { run: Run }
    expect([response.status, response.headers.get('Location')]).toEqual([202, `/runs/${run.id}`])
    await deliver()
    expect(await get(run.id)).toMatchObject({ answer: { result: '9007199254740993' } })
    const refused = await send('/runs', { method: 'POST', body: '{"script": "", "auth": {}}' })
    expect(refused.status).toBe(422)
  })

  it('keeps numbers of its result and its arguments exact', async () => {
    const { post, send, deliver } = await makeRunsApp()
    const body = '{"script": "return args", "background": true, "args": {"n": 9223372036854775807}}'
    const { run } = (await (await post(body)).json()) as { run: Run }
    await deliver()
    const text = await (await send(`/runs/${run.id}`)).text()
    expect(text).toContain('"result":{"n":"9223372036854775807"}')
  })

  it('that fails says why, and what it stored', async () => {
    const { start, deliver, get } = await makeRunsApp()
    const { id } = await start('file.save("a", "1") error("boom")')
    await deliver()
    const { status, answer } = await get(id)
    expect(status).toBe('failed')
    expect(answer?.error).toMatchObject({ kind: 'runtime', message: 'script:1: boom' })
    expect(answer?.files_touched).toEqual([{ name: 'a', op: 'write', bytes: 1, ...LINKED }])
  })

  it('has limits of its own, which a request can lower', async () => {
    const env = { FUEL: '1000000', BACKGROUND_FUEL: '50000000' }
    const { run, start, deliver, get } = await makeRunsApp({ env })
    const script = 'for i = 1, 2000000 do end return true'
    expect((await run(script)).error?.kind).toBe('fuel')
    const { id } = await start(script)
    const lower = await start(script, { limits: { fuel: 1000000 } })
    await deliver()
    expect((await get(id)).answer).toMatchObject({ result: true })
    expect((await get(lower.id)).answer?.error?.kind).toBe('fuel')
  })

  it('is refused with credentials of the caller, which would have to be stored', async () => {
    const { post, queue, stored } = await makeRunsApp()
    const response = await post({ script: '', background: true, auth: {} })
    expect(response.status).toBe(202)
    queue.sent.length = 0
    const refused = await post({ script: '', background: true, auth: { crm: 'secret' } })
    expect(refused.status).toBe(422)
    expect(queue.sent).toEqual([])
    expect(JSON.stringify(await stored())).not.toContain('secret')
  })

  it.each([{ notify: 'https://x.example/' }, { retry: true }])(
    'is what %o is for',
    async (fields) => {
      const { post } = await makeRunsApp()
      const [field] = Object.keys(fields)
      expect(await refusalOf(await post({ script: '', ...fields }))).toBe(
        invalid(`${field}: is only for background runs`),
      )
    },
  )

  it('is refused where nothing runs in the background', async () => {
    const { post } = await makeApp()
    expect(await refusalOf(await post({ script: '', background: true }))).toBe(
      invalid('background: this service does not support background runs'),
    )
  })

  it('is refused beyond the number that a tenant may have, until one has ended', async () => {
    const { start, post, deliver, queue, stored } = await makeRunsApp({
      env: { BACKGROUND_PER_TENANT: '2' },
    })
    await start('')
    await start('', {}, { sub: 'bob' })
    const before = Object.keys(await stored())
    const response = await post({ script: '', background: true })
    expect(response.headers.get('Retry-After')).toBe('60')
    expect(await refusalOf(response)).toBe(
      '429 rate_limited: At most 2 runs may be queued or running. Try again when one has ended.',
    )
    expect(Object.keys(await stored())).toEqual(before)
    expect(queue.sent).toHaveLength(2)
    await deliver()
    expect((await start('')).status).toBe('queued')
  })
})

it('50 at once are never more than a tenant may have', async () => {
  const { post, queue } = await makeRunsApp({ env: { BACKGROUND_PER_TENANT: '10' } })
  const all = Array.from({ length: 50 }, () => post({ script: '', background: true }))
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  const accepted = statuses.filter((status) => status === 202).length
  expect(statuses.filter((status) => status === 429)).toHaveLength(50 - accepted)
  expect(accepted).toBeLessThanOrEqual(10)
  expect(queue.sent).toHaveLength(accepted)
  // Together they may have refused one another; one after the other they are not.
  for (let i = accepted; i < 10; i++) {
    expect((await post({ script: '', background: true })).status).toBe(202)
  }
  expect((await post({ script: '', background: true })).status).toBe(429)
})

it('runs whose processes died count no longer when there is no room', async () => {
  const { start, post, pass, queue } = await makeRunsApp({ env: { BACKGROUND_PER_TENANT: '2' } })
  await start('')
  await start('')
  expect((await post({ script: '', background: true })).status).toBe(429)
  pass(queue.keepsMs + LEASE_OVER_MS)
  expect((await post({ script: '', background: true })).status).toBe(202)
})

describe('reading a run', () => {
  it('waits for its end when asked to', async () => {
    const { storage, reached, open } = await gatedStorage()
    const { start, deliver, send } = await makeRunsApp({ storage })
    const { id } = await start('io.open("gate") return 1')
    const delivered = deliver()
    await reached
    const reading = send(`/runs/${id}?wait=30`)
    open()
    await delivered
    expect(await (await reading).json()).toMatchObject({
      status: 'succeeded',
      answer: { result: 1 },
    })
  })

  it('answers with a run that goes on when the wait is over', async () => {
    const { start, send } = await makeRunsApp()
    const { id } = await start('')
    expect(await (await send(`/runs/${id}?wait=1`)).json()).toMatchObject({ status: 'queued' })
  })

  it.each([
    ['wait=31', 'wait: must be at most 30'],
    ['wait=-1', 'wait: must be a whole number of seconds'],
    ['wait=soon', 'wait: must be a whole number of seconds'],
    ['weight=1', 'Unrecognized key: "weight"'],
  ])('refuses ?%s', async (query, message) => {
    const { start, send } = await makeRunsApp()
    const { id } = await start('')
    expect(await refusalOf(await send(`/runs/${id}?${query}`))).toBe(invalid(message))
  })
})

describe('the list of runs', () => {
  it('is newest first, in pages, with a status', async () => {
    const { start, deliver, send, pass } = await makeRunsApp({ now: () => NOW })
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift((await start('')).id)
      if (i === 1) await deliver()
      pass(1000)
    }
    const list = async (query: string) =>
      (await (await send(`/runs?${query}`)).json()) as { runs: Run[]; next?: string }
    const idsOf = ({ runs }: { runs: Run[] }) => runs.map(({ id }) => id)
    const first = await list('limit=2')
    const second = await list(`limit=2&cursor=${first.next}`)
    const third = await list(`limit=2&cursor=${second.next}`)
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), [ids[4]]])
    expect(third.next).toBeUndefined()
    expect(idsOf(await list('status=succeeded'))).toEqual(ids.slice(3))
    expect(idsOf(await list('status=queued&limit=100'))).toEqual(ids.slice(0, 3))
    expect(first.runs[0]).not.toHaveProperty('answer')
  })

  it.each(['status=done', 'limit=0', 'limit=101', 'cursor=..%2Fx', 'cursor='])(
    'refuses ?%s',
    async (query) => {
      const { send } = await makeRunsApp()
      expect((await send(`/runs?${query}`)).status).toBe(422)
    },
  )
})

describe('cancelling', () => {
  it('a queued run keeps it from ever running', async () => {
    const { start, cancel, deliver, get, stored } = await makeRunsApp()
    const { id } = await start('file.save("a", "1")')
    expect(await cancel(id)).toMatchObject({ status: 'cancelled', started_at: null })
    await deliver()
    expect(await get(id)).toMatchObject({ status: 'cancelled' })
    expect(await stored()).not.toHaveProperty('users/alice/a')
  })

  it('a running one ends it and stores what it had closed', async () => {
    const { start, cancel, deliver, get } = await makeRunsApp()
    const { id } = await start('file.save("a", "1") print("on") while true do end')
    const delivered = deliver()
    await vi.waitUntil(async () => (await get(id)).status === 'running', 30_000)
    expect(['running', 'cancelled']).toContain((await cancel(id)).status)
    await delivered
    const { status, answer } = await get(id)
    expect(status).toBe('cancelled')
    expect(answer).toMatchObject({
      logs: ['on'],
      files_touched: [{ name: 'a', bytes: 1 }],
      error: { kind: 'timeout', message: 'the run was cancelled' },
    })
  })

  it('a finished run leaves it as it is', async () => {
    const { start, cancel, deliver, get } = await makeRunsApp()
    const { id } = await start('return 1')
    await deliver()
    const before = await get(id)
    const { answer: _, ...state } = before
    expect(await cancel(id)).toEqual(state)
    expect(await get(id)).toMatchObject({ status: 'succeeded', answer: { result: 1 } })
  })
})
