/** Messages that are not as they should be: each gets an answer that says so, and nothing is done. */
import { describe, expect, it } from 'vitest'
import {
  ADDRESS,
  makeMcp,
  messagesOf,
  MODERN,
  requestOf,
  REVISIONS,
  type AskOptions,
} from './make-mcp.ts'

const LEGACY = { revision: '2025-06-18' } as const
const run = (options: AskOptions = {}, id: unknown = 1) =>
  requestOf(
    'tools/call',
    { name: 'execute_script', arguments: { script: 'file.save("ran", "")' } },
    options,
    id,
  )

/** An app, and the check that nothing ran in it. */
async function makeIdle(options: Parameters<typeof makeMcp>[0] = {}) {
  const made = await makeMcp(options)
  async function assertIdle() {
    expect(await made.textsUnder()).toEqual({})
    expect(made.events).toEqual([])
  }
  /** Status, code and message of an answer that refuses. */
  async function refusal(body: unknown, ask: AskOptions = {}) {
    const response = await made.send(body, ask)
    const [message, ...rest] = await messagesOf(response)
    expect([message!.result, rest]).toEqual([undefined, []])
    const { code, message: sentence } = message!.error!
    return [response.status, code, sentence]
  }
  return { ...made, refusal, assertIdle }
}

describe('a body', () => {
  it.each([
    ['', 400, -32_700, 'The body is not valid JSON.'],
    ['not JSON', 400, -32_700, 'The body is not valid JSON.'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', 400, -32_700, 'The body is not valid JSON.'],
    ['{} {}', 400, -32_700, 'The body is not valid JSON.'],
    ['null', 400, -32_600, expect.stringContaining('not a valid JSON-RPC message')],
    ['1', 400, -32_600, expect.stringContaining('not a valid JSON-RPC message')],
    ['"ping"', 400, -32_600, expect.stringContaining('not a valid JSON-RPC message')],
    ['true', 400, -32_600, expect.stringContaining('not a valid JSON-RPC message')],
    ['{}', 400, -32_600, expect.stringContaining('not a valid JSON-RPC message')],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600, expect.any(String)],
    ['{"id":1,"method":"ping"}', 400, -32_600, expect.any(String)],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32_600, expect.any(String)],
    ['{"jsonrpc":"2.0","id":1,"method":["tools/call"]}', 400, -32_600, expect.any(String)],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32_600, expect.any(String)],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 400, -32_600, expect.any(String)],
    ['[]', 400, -32_600, expect.stringContaining('empty')],
    ['[1]', 400, -32_600, expect.stringContaining('invalid message')],
    ['[null]', 400, -32_600, expect.stringContaining('invalid message')],
    ['[[]]', 400, -32_600, expect.stringContaining('invalid message')],
    ['\ufeff', 400, -32_700, 'The body is not valid JSON.'],
  ])('of %j is refused', async (body, status, code, message) => {
    const { refusal, assertIdle } = await makeIdle()
    for (const revision of REVISIONS) {
      expect(await refusal(body, { revision })).toEqual([status, code, message])
    }
    await assertIdle()
  })

  it('that is no UTF-8 is refused', async () => {
    const { refusal } = await makeIdle()
    const body = new Uint8Array([0x22, 0xff, 0x22])
    expect(await refusal(body)).toMatchObject([400, -32_700, /UTF-8/])
  })

  it.each(['', 0, -1, '__proto__', 9_007_199_254_740_991, 'x'.repeat(1000)])(
    'with the id %j is answered under it',
    async (id) => {
      const { send } = await makeIdle()
      for (const revision of REVISIONS) {
        const response = await send(requestOf('tools/list', {}, { revision }, id), { revision })
        const [message] = await messagesOf(response)
        expect([response.status, message!.id]).toEqual([200, id])
        expect(message!.result).toBeDefined()
      }
    },
  )

  it.each([[null], [1.5], [true], [{}], [[1]]])('with the id %j is refused', async (id) => {
    const { refusal } = await makeIdle()
    for (const revision of REVISIONS) {
      const body = requestOf('tools/list', {}, { revision }, id)
      expect(await refusal(body, { revision })).toMatchObject([400, -32_600, /./])
    }
  })

  /** Arrays around a value, so that the whole body is so deep. */
  const deepBody = (levels: number) => {
    const params = { script: 'return 1', args: '<here>' }
    const empty = JSON.stringify(
      requestOf('tools/call', { name: 'execute_script', arguments: params }),
    )
    // The message, its params and their arguments are three.
    const around = levels - 3
    return empty.replace('"<here>"', '['.repeat(around) + ']'.repeat(around))
  }
  const asCall = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'execute_script' }

  it('of 201 levels is read', async () => {
    const { send } = await makeIdle()
    const [message] = await messagesOf(await send(deepBody(201), { headers: asCall }))
    expect(message!.result).toMatchObject({ structuredContent: { result: 1 } })
  })

  it.each([202, 100_000])('of %i levels is refused before it is parsed', async (levels) => {
    const { refusal, assertIdle } = await makeIdle()
    const message = 'The body is nested too deeply: it may hold 200 levels.'
    expect(await refusal(deepBody(levels), { headers: asCall })).toEqual([422, -32_600, message])
    await assertIdle()
  })

  it('of too many values is refused before it is parsed', async () => {
    const { refusal } = await makeIdle()
    const body = `[${'{},'.repeat(200_001)}{}]`
    expect(await refusal(body)).toMatchObject([413, -32_600, /too many values/])
  })

  it('of 16 MiB and a byte is refused, with its length and without', async () => {
    const { refusal, assertIdle } = await makeIdle()
    const message = 'The body is larger than 16777216 bytes.'
    const body = JSON.stringify(run()).padEnd(16 * 1024 * 1024 + 1)
    expect(await refusal(body)).toEqual([413, -32_600, message])
    expect(await refusal(new Blob([body]).stream())).toEqual([413, -32_600, message])
    await assertIdle()
  })

  it('with a file of 10 MiB is taken', async () => {
    const { call } = await makeIdle()
    const content = '0123456789abcdef'.repeat(655_360)
    const { structuredContent } = await call('file_write', { path: 'large.txt', content })
    expect(structuredContent).toMatchObject({ success: true, data: { bytes: 10_485_760 } })
    const end = await call('file_read', { path: 'large.txt', offset: 10_485_752 })
    expect(end.structuredContent).toMatchObject({ data: { content: '89abcdef' } })
  })
})

describe('a header', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', undefined])(
    'that says the body is %s is refused',
    async (type) => {
      const { refusal, assertIdle } = await makeIdle()
      for (const revision of REVISIONS) {
        const headers = { 'Content-Type': type }
        const [status] = await refusal(run({ revision }), { revision, headers })
        expect(status).toBe(415)
      }
      await assertIdle()
    },
  )

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON'])(
    'of %s is JSON',
    async (type) => {
      const { ask } = await makeIdle()
      const { status } = await ask('tools/list', {}, { headers: { 'Content-Type': type } })
      expect(status).toBe(200)
    },
  )

  it.each([
    ...[undefined, 'application/json', 'text/event-stream', 'text/html'].map(
      (accepted) => ['Accept', accepted, 406] as const,
    ),
    ...['1999-01-01', '2025-06-19', 'latest', '2026-07-28 ', '2099-01-01'].map(
      (version) => ['MCP-Protocol-Version', version, 400] as const,
    ),
  ])('%s of %j is refused by the revisions with a handshake', async (name, value, status) => {
    const { refusal, assertIdle } = await makeIdle()
    const refused = await refusal(run(LEGACY), { ...LEGACY, headers: { [name]: value } })
    expect(refused[0]).toBe(status)
    await assertIdle()
  })

  it('of a known revision may be missing where the body has none either', async () => {
    const { ask } = await makeIdle()
    const headers = { 'MCP-Protocol-Version': undefined }
    expect((await ask('tools/list', {}, { ...LEGACY, headers })).status).toBe(200)
  })

  it.each([
    ['MCP-Protocol-Version', '2025-11-25'],
    ['MCP-Protocol-Version', undefined],
    ['Mcp-Method', 'tools/list'],
    ['Mcp-Method', 'TOOLS/CALL'],
    ['Mcp-Method', undefined],
    ['Mcp-Name', 'file_exists'],
    ['Mcp-Name', ''],
    ['Mcp-Name', '=?base64?%%?='],
    ['Mcp-Name', undefined],
  ])('%s of %j that disagrees with the body is refused', async (name, value) => {
    const { refusal, assertIdle } = await makeIdle()
    const [status, code] = await refusal(run(), { headers: { [name]: value } })
    expect([status, code]).toEqual([400, -32_020])
    await assertIdle()
  })

  it('in base64 may name a tool as well', async () => {
    const { ask } = await makeIdle()
    const headers = { 'Mcp-Name': `=?base64?${btoa('file_exists')}?=` }
    const params = { name: 'file_exists', arguments: { path: 'a' } }
    expect((await ask('tools/call', params, { headers })).status).toBe(200)
  })
})

describe('a revision in the body', () => {
  const withMeta = (key: string, value: unknown) => {
    const body = run()
    const meta = { ...body.params._meta, [`io.modelcontextprotocol/${key}`]: value }
    return { ...body, params: { ...body.params, _meta: meta } }
  }

  it.each(['1999-01-01', '2099-01-01', ''])(
    'of %j is refused with what is known',
    async (version) => {
      const { send, assertIdle } = await makeIdle()
      const headers = { 'MCP-Protocol-Version': version }
      const response = await send(withMeta('protocolVersion', version), { headers })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ id: 1, error: { code: expect.any(Number) } })
      await assertIdle()
    },
  )

  it.each([
    ['protocolVersion', 7],
    ['clientInfo', 'tests'],
    ['clientCapabilities', null],
    ['clientCapabilities', undefined],
  ])('with %s of %j is refused', async (key, value) => {
    const { refusal, assertIdle } = await makeIdle()
    const [status] = await refusal(withMeta(key, value))
    expect(status).toBe(400)
    await assertIdle()
  })

  it('that a handshake asks for and nobody knows is answered with one that is known', async () => {
    const { result } = await makeIdle()
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'tests', version: '1' },
    }
    const headers = { 'MCP-Protocol-Version': undefined }
    const told = await result('initialize', params, { ...LEGACY, headers })
    expect(told.protocolVersion).toMatch(/^2025-\d\d-\d\d$/)
  })

  it('is not there for a handshake', async () => {
    const { refusal } = await makeIdle()
    const params = { protocolVersion: MODERN, capabilities: {}, clientInfo: {} }
    const body = requestOf('initialize', params, LEGACY)
    const headers = { 'MCP-Protocol-Version': MODERN }
    expect((await refusal(body, { headers }))[0]).toBe(400)
  })
})

describe('a method', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s of HTTP is not allowed', async (method) => {
    const { app, tokenOf } = await makeIdle()
    const headers = { Authorization: `Bearer ${await tokenOf()}`, Accept: 'text/event-stream' }
    const response = await app.request(ADDRESS, { method, headers })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST'])
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: {} })
  })

  it.each(['tools/call/x', '', 'constructor', '__proto__', 'toString', 'x'.repeat(9999)])(
    '%j of the protocol is unknown',
    async (method) => {
      const { fault } = await makeIdle()
      for (const revision of REVISIONS) {
        const headers = { 'Mcp-Method': method }
        const options = { revision, ...(revision === MODERN && { headers }) }
        expect((await fault(method, {}, options))[0]).toBe(-32_601)
      }
    },
  )

  it('that would listen holds no connection', async () => {
    const { ask } = await makeIdle()
    const params = { notifications: { toolsListChanged: true, resourcesListChanged: true } }
    const { messages } = await ask('subscriptions/listen', params)
    // The answer says that there is nothing to subscribe to, and the stream ends.
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: {} },
    ])
  })

  it('that comes as a notification does nothing', async () => {
    const { send, assertIdle } = await makeIdle()
    for (const revision of REVISIONS) {
      const { id: _, ...notification } = run({ revision })
      const response = await send(notification, { revision })
      expect([response.status, await response.text()]).toEqual([202, ''])
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    await assertIdle()
  })

  it('that comes as an answer does nothing', async () => {
    const { send } = await makeIdle()
    const response = await send({ jsonrpc: '2.0', id: 1, result: {} }, LEGACY)
    expect([response.status, await response.text()]).toEqual([202, ''])
  })
})

describe('a tool', () => {
  it.each(['nonsense', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'FILE_READ'])(
    'of the name %j is unknown, and the answer lists the known ones',
    async (name) => {
      const { fault } = await makeIdle()
      for (const revision of REVISIONS) {
        const [code, message] = await fault('tools/call', { name, arguments: {} }, { revision })
        expect(code).toBe(-32_602)
        expect(message).toMatch(
          `Unknown tool: ${name}. Available: execute_script, run_saved_script, `,
        )
      }
    },
  )

  it('of a long name is shortened', async () => {
    const { fault } = await makeIdle()
    const [, message] = await fault('tools/call', { name: 'x'.repeat(100_000) }, LEGACY)
    expect(message.length).toBeLessThan(500)
  })

  it.each([
    [1],
    [null],
    [true],
    [{}],
    [{ toString: 1 }],
    [{ toString: null, valueOf: null }],
    [['execute_script']],
    [undefined],
  ])('of the name %j is no tool', async (name) => {
    const { ask, assertIdle } = await makeIdle()
    for (const revision of REVISIONS) {
      const params = { name, arguments: { script: 'file.save("ran", "")' } }
      const { answer } = await ask('tools/call', params, { revision })
      expect(answer.error!.code).toBe(-32_602)
    }
    await assertIdle()
  })

  it.each([[null], [[]], [['script']], ['return 1'], [1], [true]])(
    'with %j as arguments is not called',
    async (args) => {
      const { ask, assertIdle } = await makeIdle()
      for (const revision of REVISIONS) {
        for (const name of ['execute_script', 'file_write']) {
          const { answer } = await ask('tools/call', { name, arguments: args }, { revision })
          expect(answer.error).toMatchObject({
            code: -32_602,
            message: expect.stringContaining('arguments'),
          })
        }
      }
      await assertIdle()
    },
  )

  it('without arguments says what it needs', async () => {
    const { result } = await makeIdle()
    expect(await result('tools/call', { name: 'file_exists' })).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: 'path: must be a string' },
    })
  })

  /** Written by hand: JavaScript itself has no such own fields to spell. */
  const callWith = (fields: string) =>
    JSON.stringify(requestOf('tools/call', { name: 'file_exists', arguments: '<here>' })).replace(
      '"<here>"',
      fields,
    )
  const asCall = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'file_exists' }

  it.each(['constructor', 'toString', 'length', 'prototype'])(
    'with a field %j that it does not have says so',
    async (field) => {
      const { send } = await makeIdle()
      const body = callWith(`{"path":"a","${field}":{"polluted":true}}`)
      const [message] = await messagesOf(await send(body, { headers: asCall }))
      expect(message!.result).toMatchObject({
        isError: true,
        structuredContent: { error: `Unrecognized key: "${field}"` },
      })
    },
  )

  it('takes nothing from a prototype', async () => {
    const { send } = await makeIdle()
    const body = callWith('{"__proto__":{"path":"a","polluted":true}}')
    const [message] = await messagesOf(await send(body, { headers: asCall }))
    expect(message!.result).toMatchObject({
      isError: true,
      structuredContent: { error: 'path: must be a string' },
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('a batch', () => {
  it('of 10 is answered, each message under its id', async () => {
    const { send } = await makeMcp()
    const batch = Array.from({ length: 10 }, (_, i) => {
      const call = { name: 'execute_script', arguments: { script: `return ${i}` } }
      return requestOf('tools/call', call, LEGACY, `call-${i}`)
    })
    const messages = await messagesOf(await send(batch, LEGACY))
    const told = messages.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))
    expect(told).toMatchObject(
      batch.map(({ id }, i) => ({ id, result: { structuredContent: { result: i } } })),
    )
  })

  it('of 11 is refused', async () => {
    const { refusal, assertIdle } = await makeIdle()
    const batch = Array.from({ length: 11 }, (_, i) => run(LEGACY, i))
    const message = 'A batch may have at most 10 messages.'
    expect(await refusal(batch, LEGACY)).toEqual([413, -32_600, message])
    await assertIdle()
  })

  it('of the newest revision is refused', async () => {
    const { refusal, assertIdle } = await makeIdle()
    expect(await refusal([run()])).toMatchObject([400, -32_600, /2026-07-28/])
    await assertIdle()
  })

  it('with one bad message is refused as a whole', async () => {
    const { refusal, assertIdle } = await makeIdle()
    expect((await refusal([run(LEGACY), 7], LEGACY))[0]).toBe(400)
    await assertIdle()
  })
})
