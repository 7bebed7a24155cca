/** What leaves the service and what comes back, against a real API that behaves as badly as it can. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { freePort, listen } from '../../support/listen.ts'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, sendText, startApi, type Answering } from './start-api.ts'

const SECRET = 'operator-secret-value'
const MB = 1024 * 1024
const JSON_TYPE = { 'Content-Type': 'application/json' }

const [api, other] = [await startApi(), await startApi()]
afterAll(() => Promise.all([api.stop(), other.stop()]))

const sketches = (baseUrl = api.origin): ApiSketches => ({
  a: {
    baseUrl,
    auth: { type: 'bearer', secret: 'SECRET' },
    calls: {
      get: { params: [inQuery('q')], returns: 'Thing' },
      raw: {},
      put: { method: 'PUT', body: { contentTypes: ['application/json'], type: 'object' } },
      post: { method: 'POST', body: { contentTypes: ['application/json'], type: 'object' } },
      patch: { method: 'PATCH', body: { contentTypes: ['application/json'], type: 'object' } },
      drop: { method: 'DELETE' },
      head: { method: 'HEAD' },
    },
  },
})

const makeOutbound = (options: MakeApiAppOptions = {}, baseUrl?: string) =>
  makeApiApp(sketches(baseUrl), { secrets: { SECRET }, ...options })

/** What a call raises, or `it did not fail`. */
async function raised(call: string, answering: Answering, options?: MakeApiAppOptions) {
  const app = await makeOutbound(options)
  api.answer(answering)
  other.answer(() => ({ reached: true }))
  return app.raisedBy(call)
}

async function resultOf(script: string, answering: Answering, options?: MakeApiAppOptions) {
  const app = await makeOutbound(options)
  api.answer(answering)
  return app.resultOf(script)
}

describe('redirects', () => {
  it.each(
    [301, 302, 303, 307, 308].flatMap((status) => [
      [status, 'same'],
      [status, 'other'],
    ]),
  )('%s to the %s origin is not followed', async (status, where) => {
    const target = where === 'same' ? `${api.origin}/next` : `${other.origin}/steal`
    const redirect: Answering = (_, response) => {
      response.writeHead(status as number, { Location: target })
      response.end('moved')
    }
    expect(await raised('sdk.a.get{}', redirect)).toEqual({
      status,
      code: 'redirect',
      message: 'a.get: the API sent a redirect, which is not followed',
    })
    expect([api.seen.length, other.seen.length]).toEqual([1, 0])
  })

  it.each(['PUT', 'POST', 'DELETE'])('of %s takes no body along', async (method) => {
    const call = { PUT: 'put{body={a=1}}', POST: 'post{body={a=1}}', DELETE: 'drop{}' }[method]
    const error = await raised(`sdk.a.${call}`, (_, response) => {
      response.writeHead(307, { Location: `http://user:pass@127.0.0.1:${other.port}/steal` })
      response.end()
    })
    expect(error).toMatchObject({ code: 'redirect', status: 307 })
    expect(JSON.stringify(error)).not.toMatch(/127\.0\.0\.1|user|pass/)
    expect(other.seen).toEqual([])
  })

  it('304 is no redirect', async () => {
    const error = await raised('sdk.a.get{}', (_, response) => void response.writeHead(304).end())
    expect(error).toMatchObject({ code: 'http_error', status: 304 })
  })
})

describe('an API that is slow', () => {
  const limits = { apiCallMs: 200 }
  const told = { code: 'timeout', message: 'a.get: the API did not answer within 0.2 s' }

  const STALLS: [string, Answering][] = [
    ['before its headers', () => undefined],
    [
      'in the middle of its body',
      (_, response) => void response.writeHead(200, JSON_TYPE).write('{"a":'),
    ],
    [
      'byte by byte',
      async (_, response) => {
        response.writeHead(200, JSON_TYPE)
        while (!response.destroyed) {
          response.write(' ')
          await sleep(20)
        }
      },
    ],
  ]

  it.each(STALLS)('%s', async (_, stall) => {
    expect(await raised('sdk.a.get{}', stall, { limits })).toEqual(told)
    expect(await api.seen[0]!.left).toBe(true)
  })

  it('that does not read requests', async () => {
    const sockets: Socket[] = []
    const deaf = createServer((socket) => void sockets.push(socket.pause()))
    const { origin, stop } = await listen(deaf)
    const app = await makeOutbound({ limits }, origin)
    expect(await app.raisedBy('sdk.a.get{}')).toEqual(told)
    for (const socket of sockets) socket.destroy()
    await stop()
  })
})

describe('an API that cannot be understood', () => {
  it.each<[string, Answering]>([
    ['resets the connection', (_, response) => void response.socket!.resetAndDestroy()],
    ['closes the connection', (_, response) => void response.socket!.destroy()],
    [
      'promises more bytes than it sends',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '100' })
        response.write('short', () => response.socket!.destroy())
      },
    ],
    [
      'resets in the middle',
      (_, response) => {
        response.writeHead(200, JSON_TYPE)
        response.write('{"a":', () => response.socket!.resetAndDestroy())
      },
    ],
    ['speaks no HTTP', (_, response) => void response.socket!.end('SSH-2.0-OpenSSH\r\n\r\n')],
    [
      'sends endless headers',
      (_, response) => {
        response.writeHead(200, { 'X-Long': 'x'.repeat(200_000) })
        response.end()
      },
    ],
  ])('because it %s', async (_, answering) => {
    // The end of a connection may overtake what was sent before it.
    const problem =
      /^a\.raw: the (?:API could not be reached|response could not be read to its end)$/
    expect(await raised('sdk.a.raw{}', answering)).toEqual({
      code: 'network',
      message: expect.stringMatching(problem),
    })
    expect(api.seen).toHaveLength(1)
  })

  it('because its response does not decompress', async () => {
    const answering: Answering = (_, response) =>
      sendText(response, 200, 'text/plain', 'no gzip', { 'Content-Encoding': 'gzip' })
    expect(await raised('sdk.a.raw{}', answering)).toEqual({
      code: 'network',
      message: 'a.raw: the response could not be read to its end',
    })
  })

  it.each(['deflate', 'zstd', 'x-gzip', 'GZip', 'gzip, gzip', 'gzip, br'])(
    'because it compresses as %s, which some runtimes would not notice',
    async (encoding) => {
      const answering: Answering = (_, response) =>
        sendText(response, 200, 'text/plain', 'packed', { 'Content-Encoding': encoding })
      const problem = {
        status: 200,
        code: 'invalid_answer',
        message: `a.raw: the response is compressed as "${encoding}", not as gzip or br`,
      }
      expect(await raised('sdk.a.raw{}', answering)).toEqual(problem)
      expect(await raised('sdk.a.raw({}, {save_to = "x"})', answering)).toEqual(problem)
      expect(api.seen[0]!.headers['accept-encoding']).toBe('gzip, br')
    },
  )

  it.each(['identity', 'utf-8', 'aws-chunked', ''])(
    'not because of the encoding %j, which compresses nothing',
    async (encoding) => {
      const answering: Answering = (_, response) =>
        sendText(response, 200, 'text/plain', 'plain', { 'Content-Encoding': encoding })
      expect(await resultOf('return sdk.a.raw{}', answering)).toBe('plain')
    },
  )

  it('because it is not there', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`
    const app = await makeOutbound({}, gone)
    expect(await app.raisedBy('sdk.a.get{}')).toMatchObject({ code: 'network' })
  })

  it('more bytes than promised are not read', async () => {
    const answering: Answering = (_, response) => {
      response.socket!.end(
        'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello and more',
      )
    }
    const result = await resultOf(
      'local ok, value = pcall(sdk.a.raw, {}) return ok and value or value.code',
      answering,
    )
    expect(['hello', 'network']).toContain(result)
  })
})

describe('answers that are too large', () => {
  const tooLarge = {
    status: 200,
    code: 'too_large',
    message: 'a.raw: the response is larger than 8388608 bytes',
  }

  it.each([true, false])(
    'are cut off, and the API notices (length announced: %s)',
    async (isAnnounced) => {
      let sent = 0
      const endless: Answering = async (request, response) => {
        const length = isAnnounced ? { 'Content-Length': String(2 * 1024 * MB) } : {}
        response.writeHead(200, { 'Content-Type': 'application/octet-stream', ...length })
        const chunk = Buffer.alloc(64 * 1024, 'x')
        while (!response.destroyed && sent < 2 * 1024 * MB) {
          sent += chunk.length
          if (!response.write(chunk)) await Promise.race([once(response, 'drain'), request.left])
        }
      }
      const before = process.memoryUsage().rss
      expect(await raised('sdk.a.raw{}', endless)).toEqual(tooLarge)
      expect(await api.seen[0]!.left).toBe(true)
      // What the two ends of a connection hold on the way, and not the two gigabytes.
      expect(sent).toBeLessThan(64 * MB)
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB)
    },
  )

  it.each([
    ['gzip', gzipSync(Buffer.alloc(300 * MB))],
    ['br', brotliCompressSync(Buffer.alloc(50 * MB))],
  ])('are counted decompressed: a bomb of %s', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(MB)
    const before = process.memoryUsage().rss
    const answering: Answering = (_, response) =>
      sendText(response, 200, 'text/plain', bomb, { 'Content-Encoding': encoding })
    expect(await raised('sdk.a.raw{}', answering)).toEqual(tooLarge)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB)
  })

  it('do not include those just within the limit', async () => {
    const answering: Answering = (_, response) =>
      sendText(response, 200, 'text/plain', gzipSync(Buffer.alloc(8 * MB, 'x')), {
        'Content-Encoding': 'gzip',
      })
    expect(await resultOf('return #sdk.a.raw{}', answering)).toBe(8 * MB)
  })

  it('include errors', async () => {
    const answering: Answering = (_, response) =>
      sendText(response, 500, 'text/plain', Buffer.alloc(9 * MB, 'x'))
    expect(await raised('sdk.a.raw{}', answering)).toEqual({ ...tooLarge, status: 500 })
  })
})

describe('errors of the API', () => {
  it.each<[string, text: string, message: string, body?: unknown, type?: string]>([
    [
      'JSON',
      '{"message":"no title","errors":[{"field":"title"}]}',
      ': no title',
      { message: 'no title', errors: [{ field: 'title' }] },
    ],
    [
      'a problem of RFC 9457',
      '{"title":"No","detail":"not yours"}',
      ': not yours',
      { title: 'No', detail: 'not yours' },
      'application/problem+json',
    ],
    ['a nested message', '{"error":{"message":"deep"}}', ': deep', { error: { message: 'deep' } }],
    ['a list of messages', '{"errors":["first","2"]}', ': first', { errors: ['first', '2'] }],
    ['text', 'it broke', '', 'it broke', 'text/plain'],
    ['a page', '<h1>Bad Gateway</h1>', '', '<h1>Bad Gateway</h1>', 'text/html'],
    ['JSON that is none', '{"oops', '', '{"oops'],
    ['nothing', '', ''],
    ['JSON with large integers', '{"id":9007199254740993}', '', { id: '9007199254740993' }],
  ])('%s', async (_, text, message, body, type = 'application/json') => {
    const answering: Answering = (__, response) => sendText(response, 422, type, text)
    expect(await raised('sdk.a.get{}', answering)).toEqual({
      status: 422,
      code: 'http_error',
      message: `a.get: 422 Unprocessable Entity${message}`,
      ...(body !== undefined && { body }),
    })
  })

  it.each<[string, string]>([
    ['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['messages', `${'{"message":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['errors', `${'{"errors":['.repeat(50_000)}1${']}'.repeat(50_000)}`],
  ])('of endless depth (%s) are shown as text', async (_, text) => {
    const answering: Answering = (__, response) => sendText(response, 400, 'application/json', text)
    expect(await raised('sdk.a.get{}', answering)).toEqual({
      status: 400,
      code: 'http_error',
      message: 'a.get: 400 Bad Request',
      body: text.slice(0, 4000),
    })
  })

  it('as long texts are shown in part', async () => {
    const answering: Answering = (_, response) =>
      sendText(response, 500, 'text/plain', 'x'.repeat(MB))
    expect(await raised('sdk.a.get{}', answering)).toMatchObject({ body: 'x'.repeat(4000) })
  })

  it('keep the logs and files of the run that they end', async () => {
    const app = await makeOutbound()
    api.answer((_, response) => sendJson(response, 500, {}))
    const script = 'print("before") file.save("a.txt", "kept") local x = sdk.a.get{}'
    expect(await app.run(script)).toMatchObject({
      logs: ['before'],
      files_touched: [{ name: 'a.txt', bytes: 4 }],
      error: { kind: 'runtime', message: 'script:1: a.get: 500 Internal Server Error', line: 1 },
    })
  })
})

describe('tries', () => {
  const asking =
    (status: number, retryAfter?: string, times = Infinity): Answering =>
    (_, response) => {
      if (api.seen.length > times) return { after: api.seen.length }
      const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
      sendJson(response, status, { message: 'wait' }, headers)
      return undefined
    }

  it.each([
    [429, '0'],
    [503, '0'],
    [429, 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ])('are four at most for %s with Retry-After %j', async (status, retryAfter) => {
    expect(await raised('sdk.a.get{}', asking(status, retryAfter))).toMatchObject({
      status,
      code: 'http_error',
      retry_after: 0,
    })
    expect(api.seen).toHaveLength(4)
  })

  it('wait a little longer each time where the API does not say', async () => {
    const pauses: number[] = []
    const inTime = setTimeout
    // Pauses are noted and not made; deadlines, which are longer, run as ever.
    const clock = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      run: () => void,
      ms = 0,
    ) => {
      const isPause = ms >= 250 && ms <= 2000
      if (isPause) pauses.push(ms)
      return inTime(run, isPause ? 0 : ms)
    }) as typeof setTimeout)
    try {
      expect(await raised('sdk.a.get{}', asking(429))).toMatchObject({ status: 429 })
    } finally {
      clock.mockRestore()
    }
    expect(api.seen).toHaveLength(4)
    expect(pauses).toHaveLength(3)
    for (const [tries, ms] of pauses.entries()) {
      expect(ms).toBeGreaterThanOrEqual(250 * 2 ** tries)
      expect(ms).toBeLessThanOrEqual(500 * 2 ** tries)
    }
  })

  it.each(['3600', '999999999999', new Date(Date.now() + 86_400_000).toUTCString()])(
    'are not made when the API wants too long a pause: %s',
    async (retryAfter) => {
      const error = await raised('sdk.a.get{}', asking(429, retryAfter))
      expect(error).toMatchObject({ status: 429, code: 'http_error', body: { message: 'wait' } })
      expect((error as { retry_after: number }).retry_after).toBeGreaterThan(3599)
      expect(api.seen).toHaveLength(1)
    },
  )

  it('go on until there is an answer', async () => {
    expect(await resultOf('return sdk.a.get{}', asking(503, '0', 2))).toEqual({ after: 3 })
    expect(await resultOf('return sdk.a.put{body={a=1}}', asking(429, '0', 1))).toEqual({
      after: 2,
    })
    expect(api.seen.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}'])
    expect(await resultOf('return sdk.a.drop{}', asking(429, '0', 1))).toEqual({ after: 2 })
  })

  it.each(['post{body={a=1}}', 'patch{body={a=1}}'])('are never repeated for %s', async (call) => {
    expect(await raised(`sdk.a.${call}`, asking(429, '0'))).toMatchObject({ status: 429 })
    expect(api.seen).toHaveLength(1)
    expect(await raised(`sdk.a.${call}`, asking(503, '0'))).toMatchObject({ status: 503 })
    expect(api.seen).toHaveLength(1)
  })

  it.each([500, 502, 504, 408])('are not repeated for %s', async (status) => {
    expect(await raised('sdk.a.get{}', asking(status, '0'))).toMatchObject({ status })
    expect(api.seen).toHaveLength(1)
  })

  it('count as calls', async () => {
    const limits = { apiCalls: 2 }
    const error = await raised('sdk.a.get{}', asking(429, '0'), { limits })
    expect(error).toEqual({ code: 'limit', message: 'too many API calls (max 2)' })
    expect(api.seen).toHaveLength(2)
  })

  it('are not made after the end of the run', async () => {
    const error = await raised('sdk.a.get{}', asking(429, '20'), { limits: { runMs: 19_000 } })
    expect(error).toMatchObject({ status: 429, retry_after: 20 })
    expect(api.seen).toHaveLength(1)
  })

  it('end with the time of the call', async () => {
    const error = await raised('sdk.a.get{}', asking(429, '1'), { limits: { apiCallMs: 900 } })
    expect(error).toMatchObject({ status: 429, retry_after: 1 })
    expect(api.seen).toHaveLength(1)
  })
})

describe('only declared addresses are called', () => {
  it.each([
    ['http to a name', 'http://api.example.com'],
    ['http to an address', 'http://192.0.2.1'],
    ['userinfo', () => `http://user:pass@127.0.0.1:${api.port}`],
    ['another scheme', 'ftp://127.0.0.1'],
    ['a name that only looks like this machine', 'http://localhost.example.com'],
  ])('not %s', async (_, baseUrl) => {
    const address = typeof baseUrl === 'string' ? baseUrl : baseUrl()
    const app = await makeOutbound({}, address)
    api.answer(() => ({}))
    expect(await app.raisedBy('sdk.a.get{}')).toEqual({
      code: 'not_allowed',
      message: 'a.get: calls to this address are not allowed',
    })
    expect(api.seen).toEqual([])
  })

  it('not this machine, where that is not allowed', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const app = await makeOutbound({ allowsLoopback: false }, `http://${host}:${api.port}`)
      api.answer(() => ({}))
      expect(await app.raisedBy('sdk.a.get{}')).toMatchObject({ code: 'not_allowed' })
      expect(api.seen).toEqual([])
    }
  })
})

it('sends what a polite client sends, and nothing else', async () => {
  const headers = await resultOf('return sdk.a.get{q = "a b"}', (request) => request.headers)
  expect(headers).toMatchObject({
    accept: 'application/json, */*;q=0.5',
    'user-agent': 'moonbucket',
    authorization: 'Bearer [redacted]',
    host: `127.0.0.1:${api.port}`,
  })
  expect(Object.keys(headers as object)).not.toContain('cookie')
})

it('a HEAD has no answer', async () => {
  const answering: Answering = (_, response) => void response.writeHead(200).end()
  expect(await resultOf('return sdk.a.head{} == nil', answering)).toBe(true)
  expect(api.seen[0]!.method).toBe('HEAD')
})
