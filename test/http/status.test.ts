/** Requests that never become a run: each problem has its status and the one error body. */
import { describe, expect, it } from 'vitest'
import { busyAdmission } from '../support/busy-admission.ts'
import { refusalOf } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeApp, ORIGIN, runtimeStorage } from '../support/make-app.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_SCRIPT_BYTES = 1024 * 1024

describe('400', () => {
  it.each([
    ['an empty body', ''],
    ['text that is no JSON', 'return 1'],
    ['half a JSON', '{"script":'],
    ['JSON and something after it', '{"script":""} x'],
    ['half a JSON with a long number', '{"script":"","args":[12345678901234567890'],
  ])('for %s', async (_, body) => {
    const { post } = await makeApp()
    expect(await refusalOf(await post(body))).toBe('400 malformed: The body is not valid JSON.')
  })

  it.each([
    ['bytes that are not UTF-8', [0x7b, 0xff, 0x7d]],
    ['a character that is cut off', [0x22, 0xc3]],
  ])('for %s', async (_, bytes) => {
    const { send } = await makeApp()
    const response = await send('/execute', { method: 'POST', body: new Uint8Array(bytes) })
    expect(await refusalOf(response)).toBe(
      '400 malformed: The body is not UTF-8 text, or ended too early.',
    )
  })
})

describe('401', () => {
  const realm = 'Bearer realm="moonbucket"'

  it('without a token, with a challenge that names no error', async () => {
    const { app } = await makeApp()
    const response = await app.request(`${ORIGIN}/execute`, { method: 'POST', body: '{}' })
    expect(response.headers.get('WWW-Authenticate')).toBe(realm)
    expect(await refusalOf(response)).toBe('401 unauthenticated: A bearer token is required.')
  })

  it.each(['Bearer', 'Basic YTpi', 'garbage', 'Bearer a b', 'Bearer a, Bearer b'])(
    'takes %j for no token',
    async (Authorization) => {
      const { post } = await makeApp()
      const response = await post({ script: '' }, { Authorization })
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, realm])
    },
  )

  it('with a bad token, called invalid', async () => {
    const { post, tokenOf } = await makeApp()
    const Authorization = `Bearer ${(await tokenOf()).slice(0, -4)}AAAA`
    const response = await post({ script: '' }, { Authorization })
    expect(response.headers.get('WWW-Authenticate')).toBe(`${realm}, error="invalid_token"`)
    expect(await refusalOf(response)).toBe('401 unauthenticated: The token is not valid.')
  })
})

describe('403', () => {
  it('without the scope execute, which the challenge asks for', async () => {
    const { post } = await makeApp()
    const response = await post({ script: '' }, {}, { scope: 'files:read files:write' })
    expect(response.headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="moonbucket", error="insufficient_scope", scope="execute"',
    )
    expect(await refusalOf(response)).toBe('403 forbidden: The token lacks the scope "execute".')
  })

  it('without a tenant', async () => {
    const { post } = await makeApp()
    const response = await post({ script: '' }, {}, { tenant: undefined })
    expect(response.headers.get('WWW-Authenticate')).toBeNull()
    expect(await refusalOf(response)).toBe('403 forbidden: The token names no tenant.')
  })

  it('before the body is looked at', async () => {
    const { post } = await makeApp()
    expect((await post('not JSON', {}, { scope: '' })).status).toBe(403)
  })
})

describe('404', () => {
  const headers = { Authorization: 'Bearer garbage' }

  it.each([
    ['GET', '/nothing', {}],
    ['POST', '/nothing', { headers }],
    ['POST', '/execute/', { headers }],
    ['POST', '/executed', { headers }],
    ['GET', '/execute', {}],
    ['PUT', '/execute', { headers }],
    ['POST', '/health', { headers }],
  ])('for %s %s %j, with any token', async (method, path, init) => {
    const { app, events } = await makeApp()
    const response = await app.request(`${ORIGIN}${path}`, { method, ...init })
    expect(await refusalOf(response)).toBe('404 not_found: There is nothing at this address.')
    expect(events).toEqual([])
  })
})

describe('413', () => {
  const tooLarge = `413 too_large: The body is larger than ${MAX_BODY_BYTES} bytes.`

  it('for a body that says it is larger than 4 MiB', async () => {
    const { post } = await makeApp()
    const headers = { 'Content-Length': String(MAX_BODY_BYTES + 1) }
    expect(await refusalOf(await post({ script: '' }, headers))).toBe(tooLarge)
  })

  it('for a body that turns out to be, and no more of it is read', async () => {
    const { send } = await makeApp()
    let sentBytes = 0
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sentBytes += 65_536
          controller.enqueue(new Uint8Array(65_536).fill(0x20))
        },
        cancel() {
          isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' }
    const response = await send('/execute', init)
    expect(await refusalOf(response)).toBe(tooLarge)
    expect([isCancelled, sentBytes < 2 * MAX_BODY_BYTES]).toEqual([true, true])
  })

  it('for a script larger than 1 MiB in UTF-8', async () => {
    const { post } = await makeApp()
    const script = `--${'é'.repeat(MAX_SCRIPT_BYTES / 2)}`
    expect(await refusalOf(await post({ script }))).toBe(
      `413 too_large: The script is larger than ${MAX_SCRIPT_BYTES} bytes.`,
    )
  })

  it('not for bodies and scripts that just fit', async () => {
    const { post } = await makeApp()
    const script = `--${'é'.repeat(MAX_SCRIPT_BYTES / 2 - 1)}`
    const json = JSON.stringify({ script })
    const spaces = ' '.repeat(MAX_BODY_BYTES - new TextEncoder().encode(json).length)
    expect((await post(json + spaces)).status).toBe(200)
  })
})

describe('422', () => {
  it.each(
    Object.entries({
      '[]': 'Invalid input: expected object, received array',
      '{}': 'script: must be a string: the Lua source',
      '{"script":null}': 'script: must be a string: the Lua source',
      '{"script":"","scripts":1}': 'Unrecognized key: "scripts"',
      '{"script":"","tenant":"other"}': 'Unrecognized key: "tenant"',
      '{"script":"","limits":1}': 'limits: Invalid input: expected object, received number',
      '{"script":"","limits":{"Fuel":1}}': 'limits: Unrecognized key: "Fuel"',
      '{"script":"","limits":{"fuel":"1"}}': 'limits.fuel: must be a whole number',
      '{"script":"","limits":{"fuel":1.5}}': 'limits.fuel: must be a whole number',
      '{"script":"","limits":{"fuel":0}}': 'limits.fuel: must be at least 1',
      '{"script":"","limits":{"memory_bytes":-1}}': 'limits.memory_bytes: must be at least 1',
      '{"script":"","limits":{"timeout_ms":null}}': 'limits.timeout_ms: must be a whole number',
      '{"script":"","limits":{"write_bytes":-1}}': 'limits.write_bytes: must be at least 0',
      '{"script":"","limits":{"api_calls":[]}}': 'limits.api_calls: must be a whole number',
      '{"script":"","commit":"never"}': 'commit: must be "on_close" or "on_success"',
      '{"script":"","commit":null}': 'commit: must be "on_close" or "on_success"',
      '{"script":"","link_ttl_s":59}': 'link_ttl_s: must be at least 60',
      '{"script":"","link_ttl_s":604801}': 'link_ttl_s: must be at most 604800',
      '{"script":"","link_ttl_s":60.5}': 'link_ttl_s: must be a whole number of seconds',
      '{"script":"","link_ttl_s":"60"}': 'link_ttl_s: must be a whole number of seconds',
      '{"script":"","link_ttl_s":99999999999999999999}':
        'link_ttl_s: must be a whole number of seconds',
    }),
  )('for %s', async (body, message) => {
    const { post } = await makeApp()
    expect(await refusalOf(await post(body))).toBe(`422 invalid_request: ${message}`)
  })

  it.each([
    [201, ''],
    [201, '9007199254740993'],
    [500_000, ''],
    [500_000, '9007199254740993'],
  ])('for args nested %i levels deep around %j', async (levels, inside) => {
    const { post } = await makeApp()
    const message = 'The body is nested too deeply: it may hold 200 levels.'
    const args = '['.repeat(levels) + inside + ']'.repeat(levels)
    expect(await refusalOf(await post(`{"script":"","args":${args}}`))).toBe(
      `422 invalid_request: ${message}`,
    )
  })
})

it('429 when the tenant has had too many requests, with a time to come back', async () => {
  const counted: string[] = []
  const countRequest = async (tenant: string) => counted.push(tenant) < 2
  const { post, tenant } = await makeApp({ countRequest })
  expect((await post({ script: '' })).status).toBe(200)
  const response = await post({ script: '' })
  expect(response.headers.get('Retry-After')).toBe('60')
  expect(await refusalOf(response)).toBe(
    '429 rate_limited: Too many requests. Try again in a minute.',
  )
  expect(counted).toEqual([tenant, tenant])
})

describe('503', () => {
  it('when there is no memory for another run, with a time to come back', async () => {
    const { admission, free } = busyAdmission()
    const { post } = await makeApp({ admission })
    const response = await post({ script: '' })
    expect(response.headers.get('Retry-After')).toBe('5')
    expect(await refusalOf(response)).toBe(
      '503 busy: The service is busy. Try again in a few seconds.',
    )
    await free()
    expect((await post({ script: '' })).status).toBe(200)
  })

  it.each(['execute', 'fs/write', 'links', 'mcp'])(
    'when there is no memory for a large body of /%s, announced or not',
    async (route) => {
      const { admission, free } = busyAdmission(1_000_000)
      const { send } = await makeApp({ admission })
      const body = JSON.stringify({ script: 'x'.repeat(300_000) })
      const headers = { 'Content-Length': String(body.length) }
      const announced = { method: 'POST', headers, body }
      const chunked = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' }
      const statusOf = async (init: object) => (await send(`/${route}`, init)).status
      expect([await statusOf(announced), await statusOf(chunked)]).toEqual([503, 503])
      await free()
      expect(await statusOf(announced)).not.toBe(503)
    },
  )

  it('from /health/ready when the store does not answer, and the log says why', async () => {
    const { app, events } = await makeApp({
      storage: failingStorage(await runtimeStorage(), ['list']),
    })
    const response = await app.request(`${ORIGIN}/health/ready`)
    expect(response.headers.get('Retry-After')).toBe('10')
    expect(await refusalOf(response)).toBe('503 storage_unavailable: The store does not respond.')
    expect(events).toEqual([
      {
        event: 'fault',
        request_id: response.headers.get('X-Request-Id'),
        where: 'GET /health/ready',
        error: expect.stringContaining('the store is down for list'),
      },
    ])
    expect((await app.request(`${ORIGIN}/health`)).status).toBe(200)
  })
})

it('500 has a fixed text, and the detail is in the log only', async () => {
  const { post, events } = await makeApp({ lua: {} as WebAssembly.Module })
  const response = await post({ script: '' })
  expect(await refusalOf(response)).toBe('500 internal: Something went wrong on our side.')
  expect(events).toEqual([
    {
      event: 'fault',
      request_id: response.headers.get('X-Request-Id'),
      where: 'POST /execute',
      error: expect.stringContaining('WebAssembly'),
    },
  ])
})

it.each([
  ['/health', { status: 'ok' }],
  ['/health/ready', { status: 'ready' }],
])('%s needs no token and is never cached', async (path, body) => {
  const { app } = await makeApp()
  const response = await app.request(`${ORIGIN}${path}`)
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
  expect(await response.json()).toEqual(body)
})
