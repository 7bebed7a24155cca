/** Who gets into `/mcp`, what they may call there, and how a client finds out what it lacks. */
import { generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { signToken } from '../support/sign-token.ts'
import { ADDRESS, makeMcp, messagesOf, requestOf, REVISIONS } from './make-mcp.ts'

const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`
const ALL = 'execute files:read files:write'

/** Name and value of everything in a challenge. */
function challengeIn(headers: Headers): Record<string, string> {
  const [, scheme, rest] = /^(\w+) (.*)$/.exec(headers.get('WWW-Authenticate') ?? '')!
  expect(scheme).toBe('Bearer')
  const parameters = rest!.split(/, (?=\w+=")/).map((one) => /^(\w+)="([^"]*)"$/.exec(one)!)
  return Object.fromEntries(parameters.map(([, name, value]) => [name!, value!]))
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a request', () => {
  const env = { AUTH_ISSUER: 'https://issuer.test', AUTH_AUDIENCE: 'https://moonbucket.test/mcp' }
  const good = { tenant: 'acme', sub: 'alice', iss: env.AUTH_ISSUER, aud: env.AUTH_AUDIENCE }
  const required = 'A bearer token is required.'
  const REFUSED: [string, () => Promise<string | undefined>, string | undefined, string][] = [
    ['without a token', async () => undefined, undefined, required],
    ['with another scheme', async () => 'Basic YTpi', undefined, required],
    ['with two tokens', async () => 'Bearer a, Bearer b', undefined, required],
    ['with no real token', async () => 'Bearer abc', 'invalid_token', 'The token is not valid.'],
    [
      'with a token that is over',
      async () => `Bearer ${await signToken(good, { ttlS: -1 })}`,
      'invalid_token',
      'The token has expired.',
    ],
  ]

  it.each(REFUSED)('%s is 401 and told where to get one', async (_, authorize, error, message) => {
    const { send, events } = await makeMcp({ env })
    for (const revision of REVISIONS) {
      events.length = 0
      const headers = { Authorization: await authorize() }
      const response = await send(requestOf('tools/list', {}, { revision }), { revision, headers })
      expect(response.status).toBe(401)
      expect(challengeIn(response.headers)).toEqual({
        realm: 'moonbucket',
        resource_metadata: METADATA,
        scope: ALL,
        ...(error && { error }),
      })
      const request_id = response.headers.get('X-Request-Id')
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        error: { code: -32_000, message, data: { code: 'unauthenticated', request_id } },
      })
      expect(events).toEqual([
        {
          event: 'denied',
          request_id,
          status: 401,
          reason: message,
          method: 'POST',
          route: '/mcp',
        },
      ])
    }
  })

  it('is 401 and sent nowhere, where there is no issuer', async () => {
    const { send } = await makeMcp()
    const headers = { Authorization: 'Bearer abc' }
    const response = await send(requestOf('tools/list'), { headers })
    expect(response.status).toBe(401)
    expect(challengeIn(response.headers)).toEqual({
      realm: 'moonbucket',
      scope: ALL,
      error: 'invalid_token',
    })
  })

  it('with a good token is served', async () => {
    const { send } = await makeMcp({ env })
    const headers = { Authorization: `Bearer ${await signToken(good)}` }
    expect((await send(requestOf('tools/list'), { headers })).status).toBe(200)
  })

  it('with a token without a tenant is 403, and another token would not help', async () => {
    const { send, events } = await makeMcp({ env })
    const headers = { Authorization: `Bearer ${await signToken({ ...good, tenant: undefined })}` }
    const response = await send(requestOf('tools/list'), { headers })
    const message = 'The token names no tenant.'
    expect(response.status).toBe(403)
    expect(response.headers.get('WWW-Authenticate')).toBeNull()
    expect(await response.json()).toMatchObject({ error: { message } })
    expect(events).toMatchObject([{ event: 'denied', status: 403, reason: message }])
  })

  it.each(['GET', 'DELETE', 'PUT'])('with %s and no token is 401 as well', async (method) => {
    const { app } = await makeApp({ env })
    const response = await app.request(ADDRESS, { method })
    expect(response.status).toBe(401)
    expect(challengeIn(response.headers)).toMatchObject({ resource_metadata: METADATA })
  })

  it('has its body looked at only behind the token', async () => {
    const { send } = await makeMcp()
    const response = await send('not JSON', { headers: { Authorization: undefined } })
    expect(response.status).toBe(401)
  })
})

describe('keys of an issuer', () => {
  const env = {
    AUTH_JWKS_URL: 'https://issuer.test/keys',
    AUTH_ISSUER: 'https://issuer.test',
    AUTH_AUDIENCE: 'moonbucket',
  }

  it.each([
    ['out of reach', () => Promise.reject(new TypeError('fetch failed'))],
    ['broken', async () => new Response('oops', { status: 500 })],
    ['nonsense', async () => new Response('<html>')],
  ])('that are %s are 503, never a reason to log in again', async (_, keys) => {
    vi.stubGlobal('fetch', keys)
    const { privateKey } = await generateKeyPair('ES256')
    const signing = new SignJWT({ tenant: 'acme' }).setProtectedHeader({ alg: 'ES256', kid: 'own' })
    const token = await signing.setExpirationTime('1h').sign(privateKey)
    const { send, events } = await makeMcp({ env })
    const headers = { Authorization: `Bearer ${token}` }
    const response = await send(requestOf('tools/list'), { headers })
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('30')
    expect(response.headers.get('WWW-Authenticate')).toBeNull()
    const message = 'Tokens cannot be checked right now. Try again shortly.'
    expect(await response.json()).toMatchObject({ error: { code: -32_000, message } })
    expect(events).toMatchObject([{ event: 'fault', where: 'POST /mcp' }])
  })
})

it('scopes are asked for in a batch before anything of it is done', async () => {
  const { send, textsUnder } = await makeMcp()
  const ask = { revision: '2025-06-18', claims: { scope: 'files:write' } } as const
  const write = (path: string) => ({ name: 'file_write', arguments: { path, content: '' } })
  const edit = { name: 'file_edit', arguments: { path: 'a', old: 'a', new: 'b' } }
  const calls = [write('a'), write('b'), edit]
  const batch = calls.map((params, i) => requestOf('tools/call', params, ask, i))
  const response = await send(batch, ask)
  expect(response.status).toBe(403)
  expect(challengeIn(response.headers)).toMatchObject({
    error: 'insufficient_scope',
    scope: 'files:write files:read',
  })
  expect(await textsUnder()).toEqual({})
  const allowed = await send(batch.slice(0, 2), ask)
  expect(await messagesOf(allowed)).toHaveLength(2)
  expect(Object.keys(await textsUnder())).toHaveLength(2)
})

describe('metadata', () => {
  const issuer = { AUTH_ISSUER: 'https://issuer.test' }
  const at = async (env: Record<string, string>, path: string, headers = {}) => {
    const { app } = await makeApp({ env: { ...issuer, ...env } })
    const root = '/.well-known/oauth-protected-resource'
    const response = await app.request(`http://inner.test:8787${root}${path}`, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    return response.json()
  }
  const told = (resource: string) => ({
    resource,
    resource_name: 'Moonbucket',
    authorization_servers: ['https://issuer.test'],
    scopes_supported: ALL.split(' '),
    bearer_methods_supported: ['header'],
  })
  const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'outer.test' }

  it.each(['', '/mcp'])(
    'at %j names the resource and the issuer, without a token',
    async (path) => {
      expect(await at({}, path)).toEqual(told('http://inner.test:8787/mcp'))
    },
  )

  it.each(['', '/mcp'])('at %j is not there without an issuer', async (path) => {
    const { app } = await makeApp()
    const response = await app.request(`${ORIGIN}/.well-known/oauth-protected-resource${path}`)
    expect(response.status).toBe(404)
    const message = 'There is nothing at this address.'
    expect(await response.json()).toMatchObject({ error: { code: 'not_found', message } })
  })

  it('is replaced by a sentence for clients that register all the same', async () => {
    const { app } = await makeApp()
    const response = await app.request(`${ORIGIN}/register`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description:
        'There is no login here. The token is missing, wrong or has expired: send a valid one in the Authorization header.',
    })
  })

  it.each([
    [{ PUBLIC_URL: 'https://public.test' }, {}, 'https://public.test/mcp'],
    [{ PUBLIC_URL: 'https://public.test/' }, {}, 'https://public.test/mcp'],
    [{ PUBLIC_URL: 'https://public.test/lua//' }, proxied, 'https://public.test/lua/mcp'],
    [{ TRUST_PROXY: 'true' }, proxied, 'https://outer.test/mcp'],
    [{ TRUST_PROXY: 'true' }, {}, 'http://inner.test:8787/mcp'],
    [{}, proxied, 'http://inner.test:8787/mcp'],
  ])('with %j and headers %j names %s', async (env, headers, resource) => {
    expect(await at(env as Record<string, string>, '', headers)).toEqual(told(resource))
    expect(await at(env as Record<string, string>, '/mcp', headers)).toEqual(told(resource))
  })

  it('is where a challenge says it is', async () => {
    const { app } = await makeApp({ env: { ...issuer, TRUST_PROXY: 'true' } })
    const refused = await app.request('http://inner.test/mcp', { method: 'POST', headers: proxied })
    const { resource_metadata } = challengeIn(refused.headers)
    expect(resource_metadata).toBe('https://outer.test/.well-known/oauth-protected-resource/mcp')
  })

  it.each(['a"b', 'a", error="x', 'evil.test/x', 'a b', 'a\\b'])(
    'of the host %j does not break a challenge',
    async (host) => {
      const { app } = await makeApp({ env: { ...issuer, TRUST_PROXY: 'true' } })
      const headers = { 'X-Forwarded-Host': host }
      const refused = await app.request(ADDRESS, { method: 'POST', headers })
      expect(Object.keys(challengeIn(refused.headers))).toEqual([
        'realm',
        'resource_metadata',
        'scope',
      ])
    },
  )

  it('is nowhere else', async () => {
    const { app } = await makeApp({ env: issuer })
    const response = await app.request(`${METADATA}/other`)
    expect(response.status).toBe(404)
  })
})
