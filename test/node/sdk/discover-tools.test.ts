/** What scripts and models find out about the tools of other servers: real servers first, then some that lie. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ApiSketch, ApiSketches } from '../../support/make-catalog.ts'
import { callTool } from './call-tool.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendText, startApi, type Answering, type SeenRequest } from './start-api.ts'
import { crm, MANNERS, SECRET, startMcp, type TestMcp } from './start-mcp.ts'

const api = await startApi()
afterAll(() => api.stop())

const appFor = (sketches: ApiSketches, options: MakeApiAppOptions = {}) =>
  makeApiApp(sketches, { secrets: { SECRET }, ...options })

type App = Awaited<ReturnType<typeof appFor>>

/** A tool's answer to a model, or its refusal. */
async function told(app: App, name: string, args: object, auth?: object): Promise<unknown> {
  const answer = await callTool(app, name, args, auth && { auth })
  expect(app.events.filter(({ event }) => event === 'fault')).toEqual([])
  if (answer.isError) return (answer.content as { text: string }[])[0]!.text
  return answer.structuredContent
}

describe.each(MANNERS)('the tools of a server with %s', (manner) => {
  let server: TestMcp
  beforeAll(async () => {
    server = await startMcp(manner)
  })
  afterAll(() => server.api.stop())

  const appHere = (more?: ApiSketch) => appFor({ crm: crm(`${server.api.origin}/mcp`, more) })
  const listings = () => server.api.seen.filter(({ body }) => body.includes('tools/list')).length

  it('are listed', async () => {
    const app = await appHere()
    expect(await told(app, 'list_apis', {})).toEqual({
      apis: [{ name: 'crm', title: 'CRM', description: '', functions: null }],
    })
    expect(await told(app, 'list_functions', { api: 'crm' })).toEqual({
      functions: [
        { name: 'get_customer', summary: 'A customer' },
        { name: 'list_notes', summary: 'Notes' },
        { name: 'motto', summary: 'A text' },
        { name: 'end_', summary: 'Named like a word of Lua' },
      ],
      cursor: null,
    })
    expect(await app.resultOf('return sdk.help()')).toBe('crm: CRM (tools: sdk.help("crm"))')
    expect(await app.resultOf('return sdk.help("crm")')).toBe(
      [
        'crm: CRM (4 functions)',
        '- get_customer: A customer',
        '- list_notes: Notes',
        '- motto: A text',
        '- end_: Named like a word of Lua',
      ].join('\n'),
    )
  })

  it('can be read about', async () => {
    const app = await appHere()
    const docs = 'sdk.crm.get_customer{ id: number }\nA customer'
    expect(await told(app, 'get_function_docs', { name: 'crm.get_customer' })).toEqual({ docs })
    expect(await told(app, 'get_function_docs', { name: 'crm.get-customer' })).toEqual({ docs })
    expect(await app.resultOf('return sdk.help("crm.get_customer")')).toBe(docs)
  })

  it('are found', async () => {
    const app = await appHere()
    const hit = { name: 'crm.get_customer', signature: '{ id: number }', summary: 'A customer' }
    expect(await told(app, 'search_docs', { query: 'get a customer' })).toEqual({ hits: [hit] })
    expect(await app.resultOf('return sdk.search("get a customer")')).toEqual([hit])
  })

  it('are guessed', async () => {
    const app = await appHere()
    const guess = 'the API crm has no function "get_custmer"; did you mean "get_customer"?'
    expect(await told(app, 'get_function_docs', { name: 'crm.get_custmer' })).toBe(guess)
    expect(await app.raisedBy('sdk.help("crm.get_custmer")')).toContain(guess)
  })

  it('are those that may be called', async () => {
    const names = async (more: ApiSketch) => {
      const answer = await told(await appHere(more), 'list_functions', { api: 'crm' })
      return (answer as { functions: { name: string }[] }).functions.map(({ name }) => name)
    }
    expect(await names({ include: ['get-*'] })).toEqual(['get_customer'])
    expect(await names({ exclude: ['*o*'] })).toEqual(['end_'])
    expect(await names({ canWrite: true })).toContain('delete_customer')
    const app = await appHere()
    expect(await told(app, 'search_docs', { query: 'delete' })).toEqual({ hits: [] })
    expect(await app.raisedBy('sdk.help("crm.delete_customer")')).toContain('has no function')
  })

  it('are asked for once in a while', async () => {
    let now = Date.now()
    const sketches = { crm: crm(`${server.api.origin}/mcp`) }
    const app = await appFor(sketches, { now: () => new Date(now) })
    server.api.seen.length = 0
    for (const query of ['customer', 'notes']) await told(app, 'search_docs', { query })
    await app.resultOf('return sdk.help("crm.motto")')
    expect(listings()).toBe(1)
    now += 10 * 60_000
    await told(app, 'search_docs', { query: 'customer' })
    expect(listings()).toBe(2)
    expect(new Set(server.api.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    )
  })

  it('count against the budget of a run', async () => {
    const app = await appHere()
    const limits = { api_calls: 1 }
    expect((await app.run('return sdk.help("crm")', { limits })).error).toMatchObject({
      kind: 'limit',
    })
    const { result, logs } = await app.run('return sdk.search("customer")', { limits })
    expect({ result, logs }).toEqual({
      result: [],
      logs: ['sdk.search: some tools are missing: too many API calls (max 1)'],
    })
  })
})

describe('a server that shows each caller other tools', () => {
  const namedAfterCaller = ({ headers }: SeenRequest) => [
    tool(`notes_of_${headers.authorization?.replace('Bearer ', '').slice(0, 3)}`, 'Notes'),
  ]

  it('shows none of them to another', async () => {
    const app = await appFor({ crm: crm(api.origin, { takesCallerAuth: true }) })
    api.answer(listing(namedAfterCaller))
    const seenBy = async (auth?: object) => {
      const found = await told(app, 'search_docs', { query: 'notes' }, auth)
      const listed = await told(app, 'list_functions', { api: 'crm' }, auth)
      const script = 'return {sdk.search("notes"), sdk.help("crm")}'
      const text = JSON.stringify([found, listed, await app.resultOf(script, auth && { auth })])
      return [...new Set(text.match(/notes_of_\w+/g))]
    }
    for (let round = 0; round < 2; round++) {
      expect(await seenBy({ crm: 'ann-own-token' })).toEqual(['notes_of_ann'])
      expect(await seenBy({ crm: 'bob-own-token' })).toEqual(['notes_of_bob'])
      expect(await seenBy()).toEqual(['notes_of_the'])
    }
  })

  it('has nothing for callers without a credential where it is the only one', async () => {
    const own = crm(api.origin, { takesCallerAuth: true, auth: { type: 'bearer', secret: '' } })
    const app = await appFor({ crm: own })
    api.answer(listing(namedAfterCaller))
    const missing = 'crm: no credential for this API: pass one as auth with the request'
    expect(await told(app, 'list_functions', { api: 'crm' })).toBe(missing)
    expect(await told(app, 'list_functions', { api: 'crm' }, { crm: 'ann-own' })).toMatchObject({
      functions: [{ name: 'notes_of_ann' }],
    })
    expect(await told(app, 'list_functions', { api: 'crm' })).toBe(missing)
    expect(await told(app, 'list_functions', { api: 'crm' }, { other: 'x' })).toBe(
      'auth.other: is not an API of this service',
    )
  })
})

describe('a server that is of no help', () => {
  const pets: ApiSketch = { calls: { get_notes: { summary: 'Notes of pets' } } }
  const hit = { name: 'pets.get_notes', signature: '{}', summary: 'Notes of pets' }

  it('because it is down', async () => {
    const app = await appFor({ pets, crm: crm(api.origin) })
    api.answer((_, response) => void response.socket!.destroy())
    const reason = 'crm: the API could not be reached'
    const note = `some tools are missing: ${reason}`
    expect(await told(app, 'search_docs', { query: 'notes' })).toEqual({ hits: [hit], note })
    expect(await told(app, 'list_functions', { api: 'crm' })).toBe(reason)
    expect(await told(app, 'get_function_docs', { name: 'crm.get' })).toBe(reason)
    const { result, logs } = await app.run('return {sdk.search("notes"), sdk.help("crm")}')
    expect(result).toEqual([[hit], `crm: CRM. Its tools cannot be listed right now: ${reason}`])
    expect(logs).toEqual([`sdk.search: ${note}`])
    expect(await app.raisedBy('sdk.help("crm.get")')).toContain(reason)
  })

  it('because it stalls', async () => {
    const app = await appFor({ pets, crm: crm(api.origin) }, { limits: { apiCallMs: 300 } })
    api.answer((_, response) => void response.writeHead(200).write(' '))
    const reason = 'crm: the API did not answer within 0.3 s'
    expect(await told(app, 'list_functions', { api: 'crm' })).toBe(reason)
    expect(await told(app, 'search_docs', { query: 'notes' })).toMatchObject({ hits: [hit] })
  })

  it('because it stalls longer than a search may take', async () => {
    const app = await appFor({ pets, crm: crm(api.origin) })
    api.answer((_, response) => void response.writeHead(200).write(' '))
    const inTime = AbortSignal.timeout
    const clock = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((ms) => inTime(Math.ceil(ms / 10)))
    try {
      expect(await told(app, 'search_docs', { query: 'notes' })).toEqual({
        hits: [hit],
        note: 'some tools are missing: crm: the server did not list its tools within 2 s',
      })
    } finally {
      clock.mockRestore()
    }
    // Nobody waits for it any longer.
    expect(await api.seen[0]!.left).toBe(true)
  })

  it('because its pages lead in a circle', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    api.answer(listing(() => [tool('get', 'Gets')], { nextCursor: 'again' }))
    expect(await told(app, 'list_functions', { api: 'crm' })).toMatchObject({
      functions: [{ name: 'get', summary: 'Gets' }],
    })
    expect(api.seen.length).toBeLessThan(6)
  })

  it('because its pages never end', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    let page = 0
    api.answer((request, response) => {
      const nextCursor = `page ${++page}`
      return listing(() => [tool(`get_${page}`, 'Gets')], { nextCursor })(request, response)
    })
    await told(app, 'list_functions', { api: 'crm' })
    expect(api.seen.length).toBeLessThan(30)
  })

  it('because it says too much', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    const long = 'customer '.repeat(112)
    const properties = { id: { type: 'string', description: long } }
    api.answer(
      listing(() =>
        Array.from({ length: 900 }, (_, i) => ({
          ...tool(`get_customer_${i}`, long),
          inputSchema: { type: 'object', properties },
        })),
      ),
    )
    const text = JSON.stringify(await told(app, 'list_functions', { api: 'crm' }))
    expect(text.length).toBeLessThan(10_000)
    expect(
      JSON.stringify(await told(app, 'search_docs', { query: 'customer' })).length,
    ).toBeLessThan(2000)
    const docs = await told(app, 'get_function_docs', { name: 'crm.get_customer_7' })
    expect(JSON.stringify(docs).length).toBeLessThan(1500)
    // Names are known to the last one, and no more than that.
    expect(await told(app, 'get_function_docs', { name: 'crm.get_customer_899' })).toEqual({
      docs: 'sdk.crm.get_customer_899{ … }',
    })
  })

  it('because it answers with more than anybody reads', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    api.answer(listing(() => [tool('get', 'x'.repeat(3_000_000))]))
    expect(await told(app, 'list_functions', { api: 'crm' })).toBe(
      'crm: the response is larger than 2097152 bytes',
    )
  })

  it('because it tells the secret', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    const split = SECRET.replace('secret', 's\\u0065cret')
    const properties = { [SECRET]: { enum: [SECRET] }, b: { description: SECRET } }
    const telling = tool('get', `Say ${SECRET} or THERE. Or ${SECRET}`)
    const honest = listing(() => [{ ...telling, inputSchema: { type: 'object', properties } }])
    api.answer(async (request, response) => {
      const text = JSON.stringify(await honest(request, response))
      if (text) sendText(response, 200, 'application/json', text.replace('THERE', split))
    })
    expect(await told(app, 'get_function_docs', { name: 'crm.get' })).toEqual({
      docs: [
        'sdk.crm.get{ "[redacted]"?: "[redacted]", b?: any }',
        'Say [redacted] or [redacted].',
        'Say [redacted] or [redacted]. Or [redacted]',
        '- b: [redacted]',
      ].join('\n'),
    })
    await told(app, 'list_functions', { api: 'crm' })
    await app.answerText('return {sdk.help("crm"), sdk.help("crm.get"), sdk.search("say")}')
  })

  it('because what it lists makes no sense', async () => {
    const app = await appFor({ crm: crm(api.origin) })
    const tools = [
      null,
      5,
      { name: '__proto__', annotations: { readOnlyHint: true } },
      tool('a', 5),
    ]
    api.answer(listing(() => tools))
    expect(await told(app, 'list_functions', { api: 'crm' })).toEqual({
      functions: [
        { name: '__proto__', summary: '' },
        { name: 'a', summary: '' },
      ],
      cursor: null,
    })
    expect(await told(app, 'get_function_docs', { name: 'crm.__proto__' })).toEqual({
      docs: 'sdk.crm.__proto__{}',
    })
    expect(await told(app, 'get_function_docs', { name: 'crm.constructor' })).toContain(
      'has no function',
    )
  })
})

function tool(name: string, description: unknown) {
  return { name, description, annotations: { readOnlyHint: true } }
}

/** A server without sessions, whose list the test gives. */
function listing(toolsFor: (request: SeenRequest) => unknown[], more: object = {}): Answering {
  return (request, response) => {
    const { id, method } = JSON.parse(request.body) as { id?: number; method: string }
    if (id === undefined) return void response.writeHead(202).end()
    const isList = method === 'tools/list'
    const result = isList
      ? { tools: toolsFor(request), ...more }
      : { protocolVersion: '2025-11-25', capabilities: {} }
    return { jsonrpc: '2.0', id, result }
  }
}
