/** Tools of other MCP servers as functions of scripts: real servers first, then one that lies. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiSketch } from '../../support/make-catalog.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, sendText, startApi, type Answering } from './start-api.ts'
import { crm, MANNERS, SECRET, startMcp, type TestMcp } from './start-mcp.ts'

const api = await startApi()
afterAll(() => api.stop())

const appFor = (baseUrl: string, more?: ApiSketch, options: MakeApiAppOptions = {}) =>
  makeApiApp({ crm: crm(baseUrl, more) }, { secrets: { SECRET }, ...options })

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

  it.each([
    ['get_custmer', '; did you mean "get_customer"?'],
    ['xyzzy', '; tools: get_customer, list_notes, motto, end_'],
    // It changes things.
    ['delete_customer', '; did you mean "get_customer"?'],
  ])('has no tool %s', async (name, hint) => {
    const app = await appHere()
    const message = `crm: unknown tool "${name}"${hint}`
    expect(await app.raisedBy(`sdk.crm.${name}{}`)).toEqual({ code: 'invalid_arguments', message })
  })

  it('fails with the error of a tool', async () => {
    const app = await appHere()
    expect(await app.raisedBy('sdk.crm.get_customer{id = 404}')).toEqual({
      code: 'tool_error',
      message: 'crm.get_customer: no customer 404',
      body: ['no customer 404'],
    })
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
    api.answer(() => {
      server.forget()
      return {}
    })
    const forgetful = { baseUrl: api.origin, calls: { forget: {} } }
    const app = await makeApiApp(
      { crm: crm(`${server.api.origin}/mcp`), f: forgetful },
      { secrets: { SECRET } },
    )
    const script = `local before = sdk.crm.motto{}
      sdk.f.forget{}
      local results, errors = sdk.parallel{{sdk.crm.motto}, {sdk.crm.motto}, {sdk.crm.get_customer, {id = 1}}}
      return {before, sdk.crm.motto{}, results, errors == nil}`
    const motto = 'customers first'
    expect(await app.resultOf(script)).toEqual([
      motto,
      motto,
      [motto, motto, { id: 1, name: 'Ann' }],
      true,
    ])
  })
})

describe('a server that lies', () => {
  interface Message {
    readonly id: number
    readonly method: string
  }

  type Response = Parameters<Answering>[1]
  type Lie = (message: Message, response: Response) => unknown

  const TOOLS = [{ name: 'get', annotations: { readOnlyHint: true } }]
  const HONEST: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: '2025-06-18', capabilities: {} },
    'tools/list': { tools: TOOLS },
    'tools/call': { content: [{ type: 'text', text: 'fine' }] },
  }

  /** Behaves well but for what a lie answers; nothing means that it does not lie about this message. */
  const lying =
    (lie: Lie): Answering =>
    (request, response) => {
      const message = JSON.parse(request.body) as Message
      const answer = lie(message, response)
      if (answer !== undefined) return answer === response ? undefined : answer
      const { id, method } = message
      if (id === undefined) return void response.writeHead(202).end()
      return { jsonrpc: '2.0', id, result: HONEST[method] }
    }

  /** Writes its answer by hand. */
  const writing =
    (write: (response: Response, message: Message) => unknown): Lie =>
    (message, response) => {
      write(response, message)
      return response
    }
  const resulting =
    (result: unknown): Lie =>
    ({ id }) => ({ id, result })
  const about =
    (method: string, lie: Lie): Lie =>
    (message, response) =>
      message.method === method ? lie(message, response) : undefined

  async function raised(lie: Lie, call = 'sdk.crm.get{}', options: MakeApiAppOptions = {}) {
    const app = await appFor(api.origin, undefined, options)
    api.answer(lying(lie))
    const error = await app.raisedBy(call)
    expect(app.events.filter(({ event }) => event === 'fault')).toEqual([])
    return error
  }

  it('in nothing is like any other', async () => {
    expect(await raised(() => undefined)).toBe('it did not fail')
    expect(api.seen.at(-1)!.headers['mcp-protocol-version']).toBe('2025-06-18')
  })

  const NO_ANSWERS: Readonly<Record<string, Lie>> = {
    'with another id': ({ id }) => ({ id: id + 1, result: {} }),
    'with an id of text': ({ id }) => ({ id: String(id), result: {} }),
    'with a page': writing((response) => sendText(response, 200, 'text/html', '<p>')),
    'with null': writing((response) => sendText(response, 200, 'application/json', 'null')),
    'with nothing': writing((response) => response.writeHead(200).end()),
    'with numbers': () => [1, null, 'x'],
    'with endless depth': writing((response) =>
      sendText(response, 200, 'application/json', '['.repeat(500_000)),
    ),
  }

  it.each(
    Object.keys(HONEST).flatMap((method) =>
      Object.entries(NO_ANSWERS).map(([how, lie]) => [method, how, lie] as const),
    ),
  )('answers %s %s', async (method, _, lie) => {
    expect(await raised(about(method, lie))).toEqual({
      status: 200,
      code: 'invalid_answer',
      message: 'crm: the server sent no MCP response',
    })
  })

  it.each<[string, unknown]>([
    ['no list', { tools: 'abc' }],
    ['a number', { tools: 5 }],
    ['no tools', { tools: [null, 1, 'x', {}, { name: 5 }, { name: '' }, []] }],
    ['nothing', null],
    ['a text', 'x'],
  ])('lists %s as tools', async (_, result) => {
    expect(await raised(about('tools/list', resulting(result)))).toEqual({
      code: 'invalid_arguments',
      message: 'crm: unknown tool "get"',
    })
  })

  it('lists tools without end', async () => {
    const lie = about('tools/list', resulting({ tools: [], nextCursor: 'more' }))
    expect(await raised(lie)).toMatchObject({ code: 'invalid_arguments' })
    expect(api.seen.length).toBeLessThan(30)
  })

  it('lists more tools than anybody has', async () => {
    const name = `tool_${'x'.repeat(40)}`
    const tools = Array.from({ length: 15_000 }, (_, i) => ({ ...TOOLS[0], name: name + i }))
    const error = await raised(about('tools/list', resulting({ tools })), `sdk.crm["${name}_"]{}`)
    expect(error).toMatchObject({ code: 'invalid_arguments' })
  })

  it('keeps large numbers exact', async () => {
    const app = await appFor(api.origin)
    const exact = writing((response, { id }) => {
      const text = `{"id":${id},"result":{"structuredContent":{"n":9007199254740993}}}`
      sendText(response, 200, 'application/json', text)
    })
    api.answer(lying(about('tools/call', exact)))
    expect(await app.resultOf('return sdk.crm.get{}.n == 9007199254740993')).toBe(true)
  })

  it.each([
    ['a line end', '2025\r\nX-Evil: 1'],
    ['no text', { a: 1 }],
    ['an endless text', 'x'.repeat(100_000)],
    ['emoji', '👍'],
  ])('names as its revision %s', async (_, protocolVersion) => {
    const lie = about('initialize', resulting({ protocolVersion }))
    expect(await raised(lie)).toBe('it did not fail')
    expect(api.seen.at(-1)!.headers['mcp-protocol-version']).toBe('2025-11-25')
  })

  it.each<[string, Lie, [code: string, message: string, status?: number]]>([
    [
      '401',
      writing((response) => sendText(response, 401, 'text/plain', 'no')),
      ['http_error', '401 Unauthorized', 401],
    ],
    [
      'a message with 403',
      writing((response, { id }) => sendJson(response, 403, { id, error: { message: 'not you' } })),
      ['http_error', '403 Forbidden: not you', 403],
    ],
    [
      '404 without a session',
      writing((response) => sendJson(response, 404, {})),
      ['http_error', '404 Not Found', 404],
    ],
    [
      'an error without words',
      ({ id }) => ({ id, error: 5 }),
      ['tool_error', 'the server refused'],
    ],
    [
      'an error',
      ({ id }) => ({ id, error: { code: -32_603, message: 'x'.repeat(5000) } }),
      ['tool_error', 'x'.repeat(300)],
    ],
    [
      'a redirect',
      writing((response) => response.writeHead(307, { Location: '/elsewhere' }).end()),
      ['redirect', 'the API sent a redirect, which is not followed', 307],
    ],
    [
      'a closed connection',
      writing((response) => response.socket!.destroy()),
      ['network', 'the API could not be reached'],
    ],
    [
      'too much',
      writing((response) => sendText(response, 200, 'application/json', ' '.repeat(9_000_000))),
      ['too_large', 'the response is larger than 8388608 bytes', 200],
    ],
  ])('answers with %s', async (_, lie, [code, message, status]) => {
    const error = { code, message: `crm: ${message}`, ...(status && { status }) }
    expect(await raised(lie)).toEqual(error)
    expect(await raised(about('tools/call', lie))).toEqual(error)
  })

  const stream = (response: Response) =>
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })

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
      stream(response).write(
        ': hello\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      )
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: HONEST[method] })}\n\n`)
      return response
    }
    const app = await appFor(api.origin, undefined, { limits: { apiCallMs: 2000 } })
    api.answer(lying(open))
    expect(await app.resultOf('return sdk.crm.get{}')).toBe('fine')
    expect(
      await Promise.all(
        api.seen.filter(({ body }) => body.includes('"id"')).map(({ left }) => left),
      ),
    ).toEqual([true, true, true])
  })

  it.each<[string, Lie]>([
    [
      'of comments',
      writing(async (response) => {
        stream(response)
        while (!response.destroyed) {
          response.write(': still there\n\n')
          await sleep(10)
        }
      }),
    ],
    ['of silence', writing((response) => stream(response).write('data: {'))],
  ])('streams without end, full %s', async (_, lie) => {
    const error = await raised(about('tools/call', lie), undefined, { limits: { apiCallMs: 300 } })
    expect(error).toEqual({
      code: 'timeout',
      message: 'crm: the API did not answer within 0.3 s',
    })
  })

  it('streams events without end, and more of them than may be read', async () => {
    const event = `data: ${JSON.stringify({ x: 'y'.repeat(1000) })}\n\n`
    const flood = writing((response) => stream(response).end(event.repeat(9000)))
    expect(await raised(about('tools/call', flood))).toMatchObject({ code: 'too_large' })
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
