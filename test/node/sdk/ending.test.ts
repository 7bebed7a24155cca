/** Runs end when they must, and with them what they asked of APIs. */
import { afterAll, expect, it } from 'vitest'
import { inQuery, type ApiSketch } from '../../support/make-catalog.ts'
import { ORIGIN, type Answer } from '../../support/make-app.ts'
import { onePer } from '../../support/tier.ts'
import { makeApiApp } from './make-api-app.ts'
import { startApi, type Answering } from './start-api.ts'

const api = await startApi()
afterAll(() => api.stop())

const A: ApiSketch = {
  baseUrl: api.origin,
  auth: { type: 'oauth2', tokenUrl: `${api.origin}/token`, clientId: 'c', secret: 'SECRET' },
  calls: { get: { params: [inQuery('n')], isPublic: true }, own: {} },
}
const makeEnding = () => makeApiApp({ a: A }, { secrets: { SECRET: 'the-secret' } })

const silent: Answering = () => undefined
const stalling: Answering = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write('[1,')
}
const waiting: Answering = (_, response) => {
  response.writeHead(429, { 'Retry-After': '5' }).end()
}

const SCRIPTS: [string, string][] = [
  ['one call', 'sdk.a.get{}'],
  ['a call that catches everything', 'pcall(sdk.a.get, {})'],
  [
    'many calls side by side',
    'local c = {} for i = 1, 20 do c[i] = {sdk.a.get, {n = i}} end pcall(sdk.parallel, c)',
  ],
  ['a page', 'for _ in sdk.pages(sdk.a.get, {}) do end'],
  ['a call in a coroutine', 'coroutine.wrap(function() pcall(sdk.a.get, {}) end)()'],
  [
    'a call in a finalizer',
    'setmetatable({}, {__gc = function() pcall(sdk.a.get, {}) end}) collectgarbage()',
  ],
]

const ANSWERS: [string, Answering][] = [
  ['does not answer', silent],
  ['stalls', stalling],
  ['asks to wait', waiting],
]

const left = () => Promise.all(api.seen.map((request) => request.left))

/** Each script with all answers, beginning with another one. */
const CASES = SCRIPTS.flatMap(([name, script], at) =>
  ANSWERS.map((_, step) => {
    const [behaviour, answering] = ANSWERS[(at + step) % ANSWERS.length]!
    const framed = `print("before") ${script} print("after")`
    return [name, behaviour, framed, answering] as const
  }),
)

/** A pause beyond the deadline is not made. */
const BUSY_CASES = CASES.filter(([, behaviour]) => behaviour !== 'asks to wait')
const DEADLINES = onePer(BUSY_CASES, ([name]) => name)

it.each(DEADLINES)('the deadline ends %s while an API %s', async (...row) => {
  const [, , script, answering] = row
  const app = await makeEnding()
  api.answer(answering)
  const saved = `file.save("kept.txt", "kept") ${script}`
  const answer = await app.run(saved, { limits: { timeout_ms: 300 } })
  expect(answer).toMatchObject({
    logs: ['before'],
    files_touched: [{ name: 'kept.txt', bytes: 4 }],
    error: { kind: 'timeout', message: 'the script ran longer than 300 ms' },
  })
  expect(new Set(await left())).toEqual(new Set([true]))
})

it.each(CASES)('the caller who leaves ends %s while an API %s', async (...row) => {
  const [, behaviour, script, answering] = row
  const app = await makeEnding()
  const caller = new AbortController()
  const arrived = new Promise<void>((resolve) => {
    api.answer((request, response) => {
      resolve()
      return answering(request, response)
    })
  })
  const request = new Request(`${ORIGIN}/execute`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await app.tokenOf()}` },
    body: JSON.stringify({ script }),
    signal: caller.signal,
  })
  const answering_ = Promise.resolve(app.app.fetch(request))
  await arrived
  caller.abort()
  const answer = (await (await answering_).json()) as Answer
  expect(answer.error).toMatchObject({ kind: 'timeout', message: 'the caller has gone' })
  if (behaviour !== 'asks to wait') expect(new Set(await left())).toEqual(new Set([true]))
})

it('the deadline ends the wait for an access token', async () => {
  const app = await makeEnding()
  api.answer(silent)
  const { error } = await app.run('pcall(sdk.a.own, {})', { limits: { timeout_ms: 200 } })
  expect(error).toMatchObject({ kind: 'timeout' })
  expect(await left()).toEqual([true])
})

it('a caller who reads events and leaves ends the calls', async () => {
  const app = await makeEnding()
  api.answer(silent)
  const response = await app.post(
    { script: 'print("started") sdk.a.get{}' },
    { Accept: 'text/event-stream' },
  )
  const reader = response.body!.getReader()
  await reader.read()
  while (api.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await reader.cancel()
  expect(await left()).toEqual([true])
})

it('a run that ends leaves no call behind', async () => {
  const app = await makeEnding()
  api.answer(({ query }) => (query.get('n') === '1' ? { ok: true } : undefined))
  // Coroutines that nobody resumes have no call under way: a call holds up the whole script.
  const script = `
    local co = coroutine.create(function() sdk.a.get{n = 1} coroutine.yield() sdk.a.get{n = 2} end)
    coroutine.resume(co)
    return "done"`
  expect(await app.resultOf(script)).toBe('done')
  expect(api.seen).toHaveLength(1)
})

it('many runs at once that end badly harm no other', async () => {
  const app = await makeEnding()
  api.answer(async ({ query }) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return query.get('n') === 'good' ? { ok: true } : undefined
  })
  const bad = Array.from({ length: 10 }, () =>
    app.run('sdk.parallel{{sdk.a.get, {n = 1}}, {sdk.a.get, {n = 2}}}', {
      limits: { timeout_ms: 150 },
    }),
  )
  const good = Array.from({ length: 10 }, () =>
    app.run('for i = 1, 5 do sdk.a.get{n = "good"} end return sdk.a.get{n = "good"}'),
  )
  expect((await Promise.all(bad)).map(({ error }) => error?.kind)).toEqual(
    Array(10).fill('timeout'),
  )
  for (const { result } of await Promise.all(good)) expect(result).toEqual({ ok: true })
})
