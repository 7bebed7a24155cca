/** APIs from the Worker as it is deployed: what depends on workerd's own network. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import { catalogTexts, inHeader, inQuery } from '../../support/make-catalog.ts'
import type { Answer } from '../../support/make-app.ts'
import { startWorker } from '../start-worker.ts'
import { sendJson, sendText, startApi, type Answering } from './start-api.ts'
import { startMcp } from './start-mcp.ts'

const SECRET = 'operator+secret/for=workerd'
const MB = 1024 * 1024
/** Made beforehand: that takes longer than a call may. */
const BOMB = gzipSync(Buffer.alloc(100 * MB))

const [api, other] = [await startApi(), await startApi()]
const crm = await startMcp('sessions, events')

const CALLS = {
  get: { params: [inQuery('q'), inQuery('page'), inHeader('X-Note')] },
  post: {
    method: 'POST',
    body: { contentTypes: ['application/json', 'multipart/form-data'], type: 'object' },
  },
}
const BEARER = { type: 'bearer', secret: 'API_TOKEN' } as const
const OAUTH = {
  ...BEARER,
  type: 'oauth2',
  tokenUrl: `${other.origin}/token`,
  clientId: 'me',
} as const

const worker = await startWorker({
  entry: resolve(import.meta.dirname, 'api-worker.ts'),
  vars: {
    API_TOKEN: SECRET,
    CATALOG: JSON.stringify(
      catalogTexts({
        a: { baseUrl: api.origin, auth: BEARER, takesCallerAuth: true, calls: CALLS },
        o: { baseUrl: api.origin, auth: OAUTH, calls: CALLS },
        crm: { kind: 'mcp', baseUrl: `${crm.api.origin}/mcp`, auth: BEARER },
        d: {
          baseUrl: api.origin,
          auth: BEARER,
          downloadHosts: [new URL(other.origin).host],
          calls: CALLS,
        },
        far: { baseUrl: 'http://api.example.com', calls: CALLS },
      }),
    ),
  },
})
const caller = callerOf(() => worker.origin)

afterAll(async () => {
  await worker.stop()
  await Promise.all([api.stop(), other.stop(), crm.api.stop()])
})

async function run(script: string, body: object = {}): Promise<Answer> {
  const answer = await caller.run('acme', script, body)
  expect(JSON.stringify(answer)).not.toContain(SECRET)
  return answer
}

async function resultOf(script: string, answering?: Answering, body?: object): Promise<unknown> {
  if (answering) api.answer(answering)
  const { result, error } = await run(script, body)
  if (error) throw new Error(JSON.stringify(error))
  return result
}

const raised = (call: string, answering: Answering) =>
  resultOf(
    `local ok, e = pcall(function() local x = ${call} return x end)
     return ok and "it did not fail" or {e.code, e.message, e.status}`,
    answering,
  )

it('gets answers with credentials that come back to nobody', async () => {
  const result = await resultOf(
    'return sdk.a.get{q = "a b", X_Note = "hi"}',
    ({ headers, target }) => ({
      target,
      note: headers['x-note'],
      agent: headers['user-agent'],
      host: headers.host,
      echo: [
        headers.authorization,
        encodeURIComponent(headers.authorization!),
        btoa(headers.authorization!),
      ],
    }),
  )
  expect(result).toEqual({
    target: '/get?q=a%20b',
    note: 'hi',
    agent: 'moonbucket',
    host: `127.0.0.1:${api.port}`,
    echo: [
      'Bearer [redacted]',
      'Bearer%20[redacted]',
      expect.stringMatching(/^QmVhcmVyI.?\[redacted\].{0,3}$/) as string,
    ],
  })
  expect(api.seen[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
})

it('sends bodies', async () => {
  const script = `
    io.open("a.txt", "w"):write("from a file"):close()
    local json = sdk.a.post{body = {n = 9007199254740993, list = {1, 2}}}
    local parts = sdk.a.post({body = {f = {file = "a.txt"}, ['x"\\r\\n'] = "y"}}, {content_type = "multipart/form-data"})
    return {json, parts}`
  const [json, parts] = (await resultOf(script, ({ body, headers }) => ({
    body,
    type: headers['content-type'],
  }))) as { body: string; type: string }[]
  expect(json).toEqual({ body: '{"list":[1,2],"n":9007199254740993}', type: 'application/json' })
  const form = await new Response(parts!.body, {
    headers: { 'Content-Type': parts!.type },
  }).formData()
  expect(await (form.get('f') as File).text()).toBe('from a file')
  expect([...form.keys()]).toHaveLength(2)
})

it.each([301, 302, 303, 307, 308])('a redirect by %s is not followed', async (status) => {
  other.answer(() => ({ reached: true }))
  const error = await raised('sdk.a.get{}', (_, response) => {
    response.writeHead(status, { Location: `${other.origin}/steal` }).end('moved')
  })
  expect(error).toEqual([
    'redirect',
    'a.get: the API sent a redirect, which is not followed',
    status,
  ])
  expect([api.seen.length, other.seen.length]).toEqual([1, 0])
})

describe('a file', () => {
  const row = `,{"text":"${'x'.repeat(1000)}"}`
  const ROWS = 20_000
  const lines = ROWS * row.length

  const sendRows =
    (end: string): Answering =>
    async (request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"items":[{}')
      for (let i = 0; i < ROWS / 1000; i++) {
        const isTaken = response.write(row.repeat(1000))
        if (!isTaken) await Promise.race([once(response, 'drain'), request.left])
      }
      if (end === '') response.destroy()
      else response.end(end)
    }

  it('of any size streams past the VM, and its rows too', async () => {
    const script = `
      local all = sdk.a.get({}, {save_to = "all.json"})
      local rows = sdk.a.get({}, {save_to = "rows.jsonl", rows = "items"})
      local dump = sdk.dump(sdk.a.get, {}, {save_to = "dump.jsonl", rows = "items"})
      local n = 0
      for line in io.lines("dump.jsonl") do n = n + 1 end
      return {all.bytes, rows.bytes, dump.bytes, dump.rows, n}`
    expect(await resultOf(script, sendRows(']}'))).toEqual([
      '{"items":[{}'.length + lines + 2,
      lines + 3,
      lines + 3,
      ROWS + 1,
      ROWS + 1,
    ])
  })

  it.each([
    ['', 'network', 'a.get: the response could not be read to its end'],
    ['oops', 'invalid_answer', expect.stringContaining('a.get: this is not JSON: byte')],
  ])('that breaks off is not there: %j', async (end, code, message) => {
    const call = 'sdk.a.get({}, {save_to = "broken", rows = "items"})'
    expect(await raised(call, sendRows(end))).toEqual([code, message])
    expect(await resultOf('return {io.open("broken")}')).toMatchObject({
      2: 'broken: No such file or directory',
    })
  })

  it('that is shorter than announced is not there', async () => {
    const [code] = (await raised('sdk.a.get({}, {save_to = "short"})', (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('short', () => response.socket!.end())
    })) as string[]
    expect(code).toBe('network')
    expect(await resultOf('return io.open("short") == nil')).toBe(true)
  })

  it('that is compressed and cut is not there', async () => {
    const zipped = gzipSync('x'.repeat(1000) + Math.random())
    const answering: Answering = (_, response) => {
      const body = zipped.subarray(0, -9)
      sendText(response, 200, 'text/plain', body, { 'Content-Encoding': 'gzip' })
    }
    const [code] = (await raised('sdk.a.get({}, {save_to = "cut"})', answering)) as string[]
    expect(code).toBe('network')
    expect(await resultOf('return io.open("cut") == nil')).toBe(true)
  })

  it.each(['gzip', 'identity'])('small and sent as %s is whole', async (encoding) => {
    const result = await resultOf('return sdk.a.get({}, {save_to = "s"}).bytes', (_, response) => {
      const body = encoding === 'gzip' ? gzipSync('ab') : Buffer.from('ab')
      sendText(response, 200, 'text/plain', body, {
        'Content-Encoding': encoding,
        'Content-Length': String(body.length),
      })
    })
    expect(result).toBe(2)
  })

  it('comes from where the API redirects to, without the credential', async () => {
    other.answer((_, response) => void response.end('exported'))
    const result = await resultOf(
      `local saved = sdk.d.get({}, {save_to = "e"}).bytes
       local url = "${other.origin}/direct"
       return {saved, sdk.d.get{}, sdk.download(url, {save_to = "f"}).bytes}`,
      (_, response) => {
        response.writeHead(302, { Location: `${other.origin}/f?sig=1` }).end('moved')
      },
    )
    expect(result).toEqual([8, 'exported', 8])
    expect(other.seen.map(({ target }) => target)).toEqual(['/f?sig=1', '/f?sig=1', '/direct'])
    for (const { headers } of other.seen) expect(headers).not.toHaveProperty('authorization')
  })
})

describe('bad answers', () => {
  const unreached = ['network', 'a.get: the API could not be reached']
  // The end of a connection may overtake what was sent before it.
  const broken = ['network', expect.stringMatching(/(?:could not be reached|to its end)$/)]

  it.each<[string, Answering, unknown]>([
    ['a reset', (_, response) => void response.socket!.resetAndDestroy(), unreached],
    [
      'a reset in the middle',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '100' })
        response.write('short', () => response.socket!.resetAndDestroy())
      },
      broken,
    ],
    [
      'a bomb',
      (_, response) =>
        sendText(response, 200, 'text/plain', BOMB, {
          'Content-Encoding': 'gzip',
        }),
      ['too_large', 'a.get: the response is larger than 8388608 bytes', 200],
    ],
    [
      'two gigabytes',
      async (request, response) => {
        response.writeHead(200, { 'Content-Length': String(2048 * MB) })
        while (!response.destroyed) {
          const isTaken = response.write(Buffer.alloc(MB))
          if (!isTaken) await Promise.race([once(response, 'drain'), request.left])
        }
      },
      ['too_large', 'a.get: the response is larger than 8388608 bytes', 200],
    ],
    [
      'an error',
      (_, response) => sendJson(response, 422, { message: 'no title' }),
      ['http_error', 'a.get: 422 Unprocessable Entity: no title', 422],
    ],
  ])('%s', async (_, answering, error) => {
    expect(await raised('sdk.a.get{}', answering)).toEqual(error)
  })

  it('a compressed one that is cut is not saved, although its length is right', async () => {
    const zipped = gzipSync(randomBytes(65_536))
    const cut = zipped.subarray(0, zipped.length / 2)
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': String(cut.length) }
    const answering: Answering = (_, response) =>
      sendText(response, 200, 'text/plain', cut, headers)
    const error = await raised('sdk.a.get({}, {save_to = "cut"})', answering)
    expect(error).toEqual(broken)
    expect(await resultOf('return select(2, io.open("cut"))')).toBe(
      'cut: No such file or directory',
    )
  })

  it('none, or half of one, is waited for only so long', async () => {
    const script = `
      local _, errors = sdk.parallel{{sdk.a.get, {q = "none"}}, {sdk.a.get, {q = "half"}}}
      return {errors[1].code, errors[1].message, errors[2].code, errors[2].message}`
    const result = await resultOf(script, ({ query }, response) => {
      if (query.get('q') === 'half') response.writeHead(200).write('x')
    })
    const late = ['timeout', 'a.get: the API did not answer within 1.5 s']
    expect(result).toEqual([...late, ...late])
  })

  it('503 once is tried again', async () => {
    const result = await resultOf('return sdk.a.get{}', (_, response) =>
      api.seen.length > 1 ? { ok: true } : sendJson(response, 503, {}, { 'Retry-After': '0' }),
    )
    expect(result).toEqual({ ok: true })
  })

  it('nothing goes out without TLS', async () => {
    expect(await raised('sdk.far.get{}', () => ({}))).toEqual([
      'not_allowed',
      'far.get: calls to this address are not allowed',
    ])
  })
})

it('makes calls side by side', async () => {
  const script = `
    local calls = {}
    for i = 1, 25 do calls[i] = {sdk.a.get, {q = i}} end
    local results, errors = sdk.parallel(calls)
    local sum = 0
    for i = 1, 25 do if results[i].q == i then sum = sum + 1 end end
    return {sum, errors == nil}`
  expect(await resultOf(script, ({ query }) => ({ q: Number(query.get('q')) }))).toEqual([25, true])
})

it('follows pages and stores them', async () => {
  const script = `
    local n = 0
    for page in sdk.pages(sdk.a.get, {}, {save_to = "out/{page}.json"}) do n = n + page.bytes end
    return {n, io.list("out")}`
  const result = await resultOf(script, ({ query }, response) => {
    const page = Number(query.get('page') ?? 1)
    const next = `<https://elsewhere.example/?page=${page + 1}>; rel="next"`
    sendJson(response, 200, [{ page }], page < 3 ? { Link: next } : {})
  })
  expect(result).toEqual([36, ['1.json', '2.json', '3.json']])
})

it('gets access tokens, and keeps them from run to run', async () => {
  other.answer(() => ({ access_token: 'an-access-token', expires_in: 3600 }))
  const echo: Answering = ({ headers }) => ({ echo: headers.authorization })
  for (let i = 0; i < 2; i++) {
    expect(await resultOf('return sdk.o.get{}', echo)).toEqual({ echo: 'Bearer [redacted]' })
  }
  expect(other.seen).toHaveLength(1)
  expect(api.seen[0]!.headers.authorization).toBe('Bearer an-access-token')
})

it('takes credentials of callers', async () => {
  await resultOf('return sdk.a.get{}', () => ({}), { auth: { a: 'my-own' } })
  expect(api.seen[0]!.headers.authorization).toBe('Bearer my-own')
})

it('calls tools of other servers, also after they forgot it', async () => {
  const script = 'return {sdk.crm.get_customer{id = 7}, sdk.crm.motto{}}'
  const answer = [{ id: 7, name: 'Ann' }, 'customers first']
  expect(await resultOf(script)).toEqual(answer)
  crm.forget()
  expect(await resultOf(script)).toEqual(answer)
})

it('finds tools of other servers, and asks for them once', async () => {
  crm.api.seen.length = 0
  const script = 'return {sdk.help("crm.motto"), sdk.search("get a customer")[1].name}'
  for (let request = 0; request < 2; request++) {
    expect(await resultOf(script)).toEqual(['sdk.crm.motto{}\nA text', 'crm.get_customer'])
  }
  expect(crm.api.seen.filter(({ body }) => body.includes('tools/list'))).toHaveLength(1)
})

it('the deadline of a run ends its calls', async () => {
  api.answer(() => undefined)
  const answer = await run('print("before") pcall(sdk.a.get, {})', {
    limits: { timeout_ms: 400 },
  })
  expect(answer).toMatchObject({ logs: ['before'], error: { kind: 'timeout' } })
  expect(await api.seen[0]!.left).toBe(true)
})

it('has logged no secret and no fault', () => {
  expect(JSON.stringify(worker.events)).not.toContain('operator+secret')
  expect(worker.events.filter(({ event }) => event === 'fault')).toEqual([])
  expect(worker.events.length).toBeGreaterThan(10)
})
