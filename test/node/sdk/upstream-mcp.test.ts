/** Tools of other MCP servers as functions of scripts: real servers first, then one that lies. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiSketch, ApiSketches } from '../../support/make-catalog.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, sendText, startApi, type Answering, type TestApi } from './start-api.ts'
import { MANNERS, startMcp, type TestMcp } from './start-mcp.ts'

const SECRET = 'the-secret-of-the-crm'

const sketch = (baseUrl: string, more: ApiSketch = {}): ApiSketches => ({
  crm: { kind: 'mcp', title: 'CRM', baseUrl, auth: { type: 'bearer', secret: 'SECRET' }, ...more },
})

const appFor = (baseUrl: string, more?: ApiSketch, options: MakeApiAppOptions = {}) =>
  makeApiApp(sketch(baseUrl, more), { secrets: { SECRET }, ...options })

describe.each(MANNERS)('a server with %s', (manner) => {
  let server: TestMcp
  beforeAll(async () => {
    server = await startMcp(manner)
  })
  afterAll(() => server.api.stop())

  const appHere = (more?: ApiSketch, options?: MakeApiAppOptions) =>
    appFor(`${server.api.origin}/mcp`, more, options)
  const messagesSeen = () =>
    server.api.seen.map(({ body }) => (JSON.parse(body) as { method: string }).method)

  it.each<[string, string, unknown]>([
    ['data', 'sdk.crm.get_customer{id = 7}', { id: 7, name: 'Ann' }],
    ['data by the tool’s own name', 'sdk.crm["get-customer"]{id = 7}', { id: 7, name: 'Ann' }],
    ['text', 'sdk.crm.motto()', 'customers first'],
    ['texts', 'sdk.crm.list_notes{}', ['first', 'second']],
    ['JSON as text, of a word of Lua', 'sdk.crm.end_{}', { over: true }],
  ])('answers with %s', async (_, call, value) => {
    const app = await appHere()
    expect(await app.resultOf(`return ${call}`)).toEqual(value)
  })

  it.each<[string, string, unknown]>([
    [
      'of a tool',
      'sdk.crm.get_customer{id = 404}',
      {
        code: 'tool_error',
        message: 'crm.get_customer: no customer 404',
        body: ['no customer 404'],
      },
    ],
    [
      'of a name',
      'sdk.crm.get_custmer{id = 1}',
      {
        code: 'invalid_arguments',
        message: 'crm: unknown tool "get_custmer"; did you mean "get_customer"?',
      },
    ],
    [
      'of any name',
      'sdk.crm.xyzzy{}',
      {
        code: 'invalid_arguments',
        message: 'crm: unknown tool "xyzzy"; tools: get_customer, list_notes, motto, end_',
      },
    ],
    [
      'of a tool that changes things',
      'sdk.crm.delete_customer{}',
      {
        code: 'invalid_arguments',
        message: 'crm: unknown tool "delete_customer"; did you mean "get_customer"?',
      },
    ],
  ])('fails with the error %s', async (_, call, error) => {
    const app = await appHere()
    expect(await app.raisedBy(call)).toEqual(error)
  })

  it('fails with arguments that the tool refuses', async () => {
    const app = await appHere()
    const error = await app.raisedBy('sdk.crm.get_customer{id = "x"}')
    expect(error).toMatchObject({ code: 'tool_error' })
    expect((error as { message: string }).message).toMatch(/^crm.*id/s)
  })

  it('is greeted once in a run, and shown its credential every time', async () => {
    const app = await appHere()
    server.api.seen.length = 0
    await app.resultOf(
      'for i = 1, 3 do sdk.crm.motto{} end sdk.parallel{{sdk.crm.motto}, {sdk.crm.motto}}',
    )
    const calls = Array(5).fill('tools/call')
    const hello =
      manner === 'no greeting' ? ['initialize'] : ['initialize', 'notifications/initialized']
    expect(messagesSeen()).toEqual([...hello, 'tools/list', ...calls])
    const credentials = server.api.seen.map(({ headers }) => headers.authorization)
    expect(new Set(credentials)).toEqual(new Set([`Bearer ${SECRET}`]))
  })

  it('takes numbers as they are', async () => {
    const app = await appHere()
    server.api.seen.length = 0
    await app.answerText('return sdk.crm.get_customer{id = 9007199254740993}')
    expect(server.api.seen.at(-1)!.body).toContain('"id":9007199254740993')
  })

  it('counts against the budget', async () => {
    const app = await appHere()
    const { error } = await app.run('sdk.crm.motto{}', { limits: { api_calls: 2 } })
    expect(error).toMatchObject({ kind: 'limit' })
  })

  it('saves what a tool answers', async () => {
    const app = await appHere()
    const script = `local saved = sdk.crm.get_customer({id = 7}, {save_to = "out/{page}.json"})
      return {saved, io.open("out/1.json"):read("a")}`
    expect(await app.resultOf(script)).toEqual([
      { path: 'out/1.json', bytes: 21, content_type: 'application/json', status: 200 },
      '{"id":7,"name":"Ann"}',
    ])
  })

  it.each<[string, ApiSketch, string[]]>([
    ['all that only read', {}, ['end_', 'get_customer', 'list_notes', 'motto']],
    [
      'those that change things',
      { canWrite: true },
      ['delete_customer', 'end_', 'get_customer', 'list_notes', 'motto'],
    ],
    ['those included', { include: ['get-*'] }, ['get_customer']],
    [
      'those included by their Lua name',
      { include: ['get_*', 'm?tto'] },
      ['get_customer', 'motto'],
    ],
    ['those not excluded', { exclude: ['*o*'] }, ['end_']],
  ])('has %s', async (_, more, names) => {
    const app = await appHere(more)
    const all = ['delete_customer', 'end_', 'get_customer', 'list_notes', 'motto']
    const script = `
      local there = {}
      for _, name in ipairs{"${all.join('","')}"} do
        local ok, e = pcall(sdk.crm[name], {id = 1})
        if ok then there[#there + 1] = name end
      end
      return there`
    expect(await app.resultOf(script)).toEqual(names)
  })

  it('takes callers’ own credentials', async () => {
    const app = await appHere({ takesCallerAuth: true })
    server.api.seen.length = 0
    await app.resultOf('return sdk.crm.motto{}', { auth: { crm: 'my-own' } })
    expect(new Set(server.api.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer my-own']),
    )
  })

  it('may forget its sessions', async () => {
    const app = await appHere()
    const { origin } = server.api
    const forgetful = await startApi()
    forgetful.answer(() => {
      server.forget()
      return {}
    })
    const withForgetting = await makeApiApp(
      { ...sketch(`${origin}/mcp`), f: { baseUrl: forgetful.origin, calls: { forget: {} } } },
      { secrets: { SECRET } },
    )
    const script = `local before = sdk.crm.motto{}
      sdk.f.forget{}
      local results, errors = sdk.parallel{{sdk.crm.motto}, {sdk.crm.motto}, {sdk.crm.get_customer, {id = 1}}}
      return {before, sdk.crm.motto{}, results, errors == nil}`
    const motto = 'customers first'
    expect(await withForgetting.resultOf(script)).toEqual([
      motto,
      motto,
      [motto, motto, { id: 1, name: 'Ann' }],
      true,
    ])
    expect(await app.resultOf('return sdk.crm.motto{}')).toBe(motto)
    await forgetful.stop()
  })
})

describe('a server that lies', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.stop())

  interface Message {
    readonly id: number
    readonly method: string
    readonly params: { readonly name?: string; readonly cursor?: string }
  }

  type Lie = (message: Message, response: Parameters<Answering>[1]) => unknown

  /** Behaves well but for what a lie answers; nothing means that it does not lie about this message. */
  const lying =
    (lie: Lie): Answering =>
    (request, response) => {
      const message = JSON.parse(request.body) as Message
      const answer = lie(message, response)
      if (answer !== undefined) return answer === response ? undefined : answer
      const { id, method } = message
      if (id === undefined) return void response.writeHead(202).end()
      const tools = [{ name: 'get', annotations: { readOnlyHint: true } }]
      const result = {
        initialize: { protocolVersion: '2025-06-18', capabilities: {} },
        'tools/list': { tools },
        'tools/call': { content: [{ type: 'text', text: 'fine' }] },
      }[method]
      return { jsonrpc: '2.0', id, result }
    }

  async function raised(lie: Lie, call = 'sdk.crm.get{}', options: MakeApiAppOptions = {}) {
    const app = await appFor(api.origin, undefined, options)
    api.answer(lying(lie))
    const error = await app.raisedBy(call)
    expect(app.events.filter(({ event }) => event === 'fault')).toEqual([])
    return error
  }

  const about =
    (method: string, answer: unknown): Lie =>
    (message, response) => {
      if (message.method !== method) return undefined
      return typeof answer === 'function' ? (answer as Lie)(message, response) : answer
    }

  it('in nothing is like any other', async () => {
    expect(await raised(() => undefined)).toBe('it did not fail')
    expect(api.seen.at(-1)!.headers['mcp-protocol-version']).toBe('2025-06-18')
  })

  const unanswered = {
    status: 200,
    code: 'invalid_answer',
    message: 'crm: the server sent no MCP response',
  }

  it.each(
    ['initialize', 'tools/list', 'tools/call'].flatMap((method): [string, string, Lie][] => [
      [method, 'with another id', about(method, ({ id }: Message) => ({ id: id + 1, result: {} }))],
      [
        method,
        'with an id of text',
        about(method, ({ id }: Message) => ({ id: String(id), result: {} })),
      ],
      [
        method,
        'with a page',
        about(
          method,
          (_: Message, response: Parameters<Lie>[1]) => (
            sendText(response, 200, 'text/html', '<p>'),
            response
          ),
        ),
      ],
      [
        method,
        'with null',
        about(
          method,
          (_: Message, response: Parameters<Lie>[1]) => (
            sendText(response, 200, 'application/json', 'null'),
            response
          ),
        ),
      ],
      [
        method,
        'with nothing',
        about(
          method,
          (_: Message, response: Parameters<Lie>[1]) => (response.writeHead(200).end(), response),
        ),
      ],
      [method, 'with numbers', about(method, [1, null, 'x'])],
      [
        method,
        'with endless depth',
        about(
          method,
          (_: Message, response: Parameters<Lie>[1]) => (
            sendText(response, 200, 'application/json', '['.repeat(500_000)),
            response
          ),
        ),
      ],
    ]),
  )('answers %s %s', async (_, __, lie) => {
    expect(await raised(lie)).toEqual(unanswered)
  })

  it.each<[string, unknown]>([
    ['no list', { tools: 'abc' }],
    ['a number', { tools: 5 }],
    ['no tools', { tools: [null, 1, 'x', {}, { name: 5 }, { name: '' }, []] }],
    ['nothing', null],
    ['a text', 'x'],
  ])('lists %s as tools', async (_, result) => {
    const lie = about('tools/list', ({ id }: Message) => ({ id, result }))
    expect(await raised(lie)).toEqual({
      code: 'invalid_arguments',
      message: 'crm: unknown tool "get"',
    })
  })

  it('lists tools without end', async () => {
    const lie = about('tools/list', ({ id }: Message) => ({
      id,
      result: { tools: [], nextCursor: 'more' },
    }))
    expect(await raised(lie)).toMatchObject({ code: 'invalid_arguments' })
    expect(api.seen.length).toBeLessThan(30)
  })

  it('lists more tools than anybody has', async () => {
    const tools = Array.from({ length: 15_000 }, (_, i) => ({
      name: `tool_${'x'.repeat(40)}${i}`,
      annotations: { readOnlyHint: true },
    }))
    const lie = about('tools/list', ({ id }: Message) => ({ id, result: { tools } }))
    const error = await raised(lie, `sdk.crm["tool_${'x'.repeat(40)}_"]{}`)
    expect(error).toMatchObject({ code: 'invalid_arguments' })
  })

  it.each<[string, object, unknown]>([
    ['no list of parts', { content: 'x' }, []],
    ['parts that are none', { content: [null, 5, { type: 'text' }] }, []],
    ['nothing', {}, []],
    [
      'keys of Object',
      { structuredContent: JSON.parse('{"__proto__":{"a":1}}') as object },
      JSON.parse('{"__proto__":{"a":1}}'),
    ],
    ['large numbers', { structuredContent: { n: 0 } }, { n: 0 }],
  ])('answers a call with %s', async (_, result, value) => {
    const app = await appFor(api.origin)
    api.answer(lying(about('tools/call', ({ id }: Message) => ({ id, result }))))
    expect(await app.resultOf('return sdk.crm.get{}')).toEqual(value)
  })

  it('keeps large numbers exact', async () => {
    const app = await appFor(api.origin)
    api.answer(
      lying(
        about('tools/call', ({ id }: Message, response: Parameters<Lie>[1]) => {
          const text = `{"id":${id},"result":{"structuredContent":{"n":9007199254740993}}}`
          sendText(response, 200, 'application/json', text)
          return response
        }),
      ),
    )
    expect(await app.resultOf('return sdk.crm.get{}.n == 9007199254740993')).toBe(true)
  })

  it.each([
    ['a line end', '2025\r\nX-Evil: 1'],
    ['no text', { a: 1 }],
    ['an endless text', 'x'.repeat(100_000)],
    ['emoji', '👍'],
  ])('names as its revision %s', async (_, protocolVersion) => {
    const lie = about('initialize', ({ id }: Message) => ({ id, result: { protocolVersion } }))
    expect(await raised(lie)).toBe('it did not fail')
    expect(api.seen.at(-1)!.headers['mcp-protocol-version']).toBe('2025-11-25')
  })

  it.each<[string, Lie, unknown]>([
    [
      '401',
      (_, response) => (sendText(response, 401, 'text/plain', 'no'), response),
      { status: 401, code: 'http_error', message: 'crm: 401 Unauthorized' },
    ],
    [
      'a message with 403',
      ({ id }, response) => (
        sendJson(response, 403, { id, error: { message: 'not you' } }),
        response
      ),
      { status: 403, code: 'http_error', message: 'crm: 403 Forbidden: not you' },
    ],
    [
      '404 without a session',
      (_, response) => (sendJson(response, 404, {}), response),
      { status: 404, code: 'http_error', message: 'crm: 404 Not Found' },
    ],
    [
      'an error without words',
      ({ id }) => ({ id, error: 5 }),
      { code: 'tool_error', message: 'crm: the server refused' },
    ],
    [
      'an error',
      ({ id }) => ({ id, error: { code: -32_603, message: 'x'.repeat(5000) } }),
      { code: 'tool_error', message: `crm: ${'x'.repeat(300)}` },
    ],
    [
      'a redirect',
      (_, response) => (response.writeHead(307, { Location: '/elsewhere' }).end(), response),
      {
        status: 307,
        code: 'redirect',
        message: 'crm: the API sent a redirect, which is not followed',
      },
    ],
    [
      'a closed connection',
      (_, response) => (response.socket!.destroy(), response),
      { code: 'network', message: 'crm: the API could not be reached' },
    ],
    [
      'too much',
      (_, response) => (
        sendText(response, 200, 'application/json', ' '.repeat(3_000_000)),
        response
      ),
      { status: 200, code: 'too_large', message: 'crm: the response is larger than 2097152 bytes' },
    ],
  ])('answers with %s', async (_, lie, error) => {
    expect(await raised(lie)).toEqual(error)
    expect(
      await raised((message, response) =>
        message.method === 'tools/call' ? lie(message, response) : undefined,
      ),
    ).toEqual(error)
  })

  it('loses sessions as fast as it gives them', async () => {
    let sessions = 0
    const app = await appFor(api.origin)
    api.answer(
      lying(({ method, id }, response) => {
        if (method === 'initialize') {
          const result = { protocolVersion: '2025-11-25' }
          sendJson(response, 200, { id, result }, { 'Mcp-Session-Id': `s${++sessions}` })
          return response
        }
        if (method !== 'tools/call') return undefined
        sendJson(response, 404, {})
        return response
      }),
    )
    expect(await app.raisedBy('sdk.crm.get{}')).toMatchObject({ status: 404 })
    expect(sessions).toBe(2)
  })

  it('leaves its streams open', async () => {
    const open: Lie = ({ id, method }, response) => {
      if (id === undefined) return undefined
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2025-11-25' },
        'tools/list': { tools: [{ name: 'get', annotations: { readOnlyHint: true } }] },
        'tools/call': { structuredContent: { ok: true } },
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(
        ': hello\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      )
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n\n`)
      return response
    }
    const app = await appFor(api.origin, undefined, { limits: { apiCallMs: 2000 } })
    api.answer(lying(open))
    expect(await app.resultOf('return sdk.crm.get{}')).toEqual({ ok: true })
    expect(
      await Promise.all(
        api.seen.filter(({ body }) => body.includes('"id"')).map(({ left }) => left),
      ),
    ).toEqual([true, true, true])
  })

  it.each<[string, Lie]>([
    [
      'of comments',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        void (async () => {
          while (!response.destroyed) {
            response.write(': still there\n\n')
            await sleep(10)
          }
        })()
        return response
      },
    ],
    [
      'of silence',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        response.write('data: {')
        return response
      },
    ],
  ])('streams without end, full %s', async (_, lie) => {
    const error = await raised(about('tools/call', lie), undefined, { limits: { apiCallMs: 300 } })
    expect(error).toEqual({
      code: 'timeout',
      message: 'crm: the API did not answer within 0.3 s',
    })
  })

  it('streams events without end, and more of them than may be read', async () => {
    const flood = about('tools/call', (_: Message, response: Parameters<Lie>[1]) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify({ x: 'y'.repeat(1000) })}\n\n`.repeat(3000))
      return response
    })
    expect(await raised(flood)).toMatchObject({ code: 'too_large' })
  })

  it('echoes the secret', async () => {
    const app = await appFor(api.origin)
    api.answer((request, response) =>
      lying(({ id, method }) => {
        const credential = request.headers.authorization!
        if (method !== 'tools/call') return undefined
        return { id, result: { structuredContent: { credential, alone: credential.slice(7) } } }
      })(request, response),
    )
    expect(await app.resultOf('return sdk.crm.get{}')).toEqual({
      credential: 'Bearer [redacted]',
      alone: '[redacted]',
    })
    api.answer((request, response) =>
      lying(({ id }) => ({ id, error: { message: `no ${request.headers.authorization}` } }))(
        request,
        response,
      ),
    )
    expect(await app.raisedBy('sdk.crm.get{}')).toMatchObject({
      message: 'crm: no Bearer [redacted]',
    })
  })

  it('is asked again by the next call after it was not there', async () => {
    let isThere = false
    const app = await appFor(api.origin)
    api.answer((request, response) => {
      if (isThere) return lying(() => undefined)(request, response)
      isThere = true
      response.socket!.destroy()
      return undefined
    })
    const script = 'local ok, e = pcall(sdk.crm.get, {}) return {e.code, sdk.crm.get{}}'
    expect(await app.resultOf(script)).toEqual(['network', 'fine'])
  })
})
