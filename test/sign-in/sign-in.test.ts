/** Signing in from a host, from the metadata to a request with the token. */
import { describe, expect, it } from 'vitest'
import { ORIGIN } from '../support/make-app.ts'
import {
  CLIENT,
  makeSignIn,
  oauthErrorOf,
  REDIRECT_URI,
  redirectOf,
  SECRET,
} from './make-sign-in.ts'

const ALL = 'execute files:read files:write'

describe('metadata', () => {
  it.each(['', '/mcp'])('of the server is at its well-known address, with %j', async (tail) => {
    const { request } = await makeSignIn()
    const response = await request(`/.well-known/oauth-authorization-server${tail}`)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await response.json()).toEqual({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/authorize`,
      token_endpoint: `${ORIGIN}/token`,
      registration_endpoint: `${ORIGIN}/register`,
      revocation_endpoint: `${ORIGIN}/revoke`,
      scopes_supported: ALL.split(' '),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  it('of the resource names this service, also beside an issuer', async () => {
    const { request } = await makeSignIn({ env: { AUTH_ISSUER: 'https://issuer.test' } })
    const response = await request('/.well-known/oauth-protected-resource/mcp')
    expect(await response.json()).toMatchObject({
      resource: `${ORIGIN}/mcp`,
      authorization_servers: [ORIGIN],
    })
  })

  it('follows PUBLIC_URL, with its path', async () => {
    const own = 'https://public.example/box'
    const { request } = await makeSignIn({ env: { PUBLIC_URL: `${own}/` } })
    const response = await request('/.well-known/oauth-authorization-server/box')
    expect(await response.json()).toMatchObject({ issuer: own, token_endpoint: `${own}/token` })
  })

  it('is named by a 401 of /mcp', async () => {
    const { request } = await makeSignIn()
    const response = await request('/mcp', { method: 'POST' })
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe(
      `Bearer realm="moonbucket", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="${ALL}"`,
    )
  })

  it('is nowhere without SIGN_IN, nor are the routes', async () => {
    const { request } = await makeSignIn({ env: { SIGN_IN: '' } })
    for (const path of ['/.well-known/oauth-authorization-server', '/authorize']) {
      expect((await request(path)).status).toBe(404)
    }
    expect((await request('/token', { method: 'POST' })).status).toBe(404)
  })
})

describe('a sign-in', () => {
  it('gives a token for the tenant, user and scopes of the key', async () => {
    const { codeOf, exchange, request, tenant, events } = await makeSignIn()
    const response = await exchange(await codeOf())
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const tokens = (await response.json()) as { access_token: string }
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
      scope: ALL,
    })
    const ran = await request('/execute', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${tokens.access_token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ script: 'return 1' }),
    })
    expect(await ran.json()).toMatchObject({ result: 1 })
    const request_id = expect.any(String)
    expect(events).toMatchObject([
      {
        event: 'sign_in',
        request_id,
        tenant,
        user: 'alice',
        op: 'allow',
        method: 'keys',
        client: 'Test host',
      },
      { event: 'run', tenant, user: 'alice' },
    ])
  })

  it('sends state and issuer back with the code', async () => {
    const { register, ask, answer } = await makeSignIn()
    const consent = await ask({ client_id: await register() })
    expect(redirectOf(await answer(consent))).toEqual({
      to: REDIRECT_URI,
      code: expect.any(String),
      state: 'of the host',
      iss: ORIGIN,
    })
  })

  it('keeps the query of a redirect URI', async () => {
    const { register, ask, answer } = await makeSignIn()
    const uri = `${REDIRECT_URI}?of=a%20host`
    const client_id = await register({ redirect_uris: [uri] })
    const response = await answer(await ask({ client_id, redirect_uri: uri, state: undefined }))
    expect(response.headers.get('Location')).toMatch(
      /^https:\/\/host\.example\/callback\?of=a%20host&code=[\w.-]+&iss=https%3A%2F%2Fmoonbucket\.test$/,
    )
  })

  it('has only the scopes that were asked for and that the key has', async () => {
    const { signIn } = await makeSignIn(
      {},
      {
        'key of alice': { user: 'alice', scopes: ['files:read', 'execute', 'admin'] },
      },
    )
    const { scope } = await signIn({ scope: 'files:read files:write admin offline_access' })
    expect(scope).toBe('files:read')
  })

  it('can be refused by the person', async () => {
    const { register, ask, answer, events } = await makeSignIn()
    const consent = await ask({ client_id: await register() })
    expect(redirectOf(await answer(consent, { choice: 'refuse', key: '' }))).toEqual({
      to: REDIRECT_URI,
      error: 'access_denied',
      error_description: 'The person refused.',
      state: 'of the host',
      iss: ORIGIN,
    })
    expect(events).toMatchObject([{ event: 'denied', reason: expect.stringContaining('refused') }])
  })

  it('asks again after a wrong key, and says so', async () => {
    const { register, ask, answer, consentIn, events } = await makeSignIn()
    const first = await ask({ client_id: await register() })
    const again = await consentIn(await answer(first, { key: 'wrong' }))
    expect(again.response.status).toBe(403)
    expect(again.html).toContain('This API key is not valid here.')
    expect(events).toMatchObject([
      { event: 'denied', status: 403, reason: 'This API key is not valid here.' },
    ])
    expect(redirectOf(await answer(again))).toMatchObject({ code: expect.any(String) })
  })
})

describe('a refresh', () => {
  it('gives new tokens, and fewer scopes on request', async () => {
    const { signIn, refresh, statusWith, events, tenant } = await makeSignIn()
    const first = await signIn()
    const response = await refresh(first.client_id, first.refresh_token, { scope: 'files:read' })
    const second = (await response.json()) as typeof first
    expect(second).toMatchObject({ scope: 'files:read', expires_in: 3600 })
    expect(await statusWith(second.access_token)).toBe(200)
    const third = await refresh(first.client_id, second.refresh_token)
    expect(await third.json()).toMatchObject({ scope: ALL })
    expect(events.at(-1)).toMatchObject({ event: 'sign_in', op: 'refresh', tenant, user: 'alice' })
  })

  it('needs the key to be there still', async () => {
    const owners = { 'key of alice': { user: 'alice' } }
    const before = await makeSignIn({}, owners)
    const { client_id, refresh_token, access_token } = await before.signIn()
    const { storage } = before
    const after = await makeSignIn({ storage }, { other: {} })
    const message = 'The key or account that signed in is no longer valid.'
    expect(await oauthErrorOf(await after.refresh(client_id, refresh_token))).toBe(
      `400 invalid_grant: ${message}`,
    )
    expect(await after.statusWith(access_token)).toBe(401)
  })
})

describe('a revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)('of the %s ends both', async (which) => {
    const { signIn, refresh, postForm, statusWith, events } = await makeSignIn()
    const tokens = await signIn()
    const { client_id } = tokens
    expect(await statusWith(tokens.access_token)).toBe(200)
    const response = await postForm('/revoke', { token: tokens[which], client_id })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(await statusWith(tokens.access_token)).toBe(401)
    const refused = await refresh(client_id, tokens.refresh_token)
    expect(await oauthErrorOf(refused)).toBe('400 invalid_grant: This sign-in was revoked.')
    expect(events.find((event) => event.event === 'sign_in' && event.op === 'revoke')).toBeTruthy()
  })

  it('of what is no token is no error', async () => {
    const { postForm } = await makeSignIn()
    expect((await postForm('/revoke', { token: 'none', client_id: 'x' })).status).toBe(200)
  })
})

it('a registration is answered as RFC 7591 says', async () => {
  const { postJson } = await makeSignIn()
  const secretive = { ...CLIENT, token_endpoint_auth_method: 'client_secret_post' }
  const response = await postJson('/register', secretive)
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
  expect(await response.json()).toEqual({
    ...CLIENT,
    client_id: expect.any(String),
    client_id_issued_at: expect.any(Number),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
})

it('secrets can be rotated', async () => {
  const before = await makeSignIn()
  const { client_id, refresh_token } = await before.signIn()
  const { storage } = before
  const next = 'encrypts from now on'
  const owners = { 'key of alice': { user: 'alice' } }
  const both = { SIGN_IN_SECRET: `${next},${SECRET}` }
  const during = await makeSignIn({ storage, env: both }, owners)
  const response = await during.refresh(client_id, refresh_token)
  const { refresh_token: renewed } = (await response.json()) as { refresh_token: string }
  const after = await makeSignIn({ storage, env: { SIGN_IN_SECRET: next } }, owners)
  expect((await after.refresh(client_id, renewed)).status).toBe(200)
  expect((await after.open({ client_id })).status).toBe(400)
})

describe('a host that registered under a secret that is gone', () => {
  it('is told to register again when its tokens are gone too', async () => {
    const before = await makeSignIn()
    const { client_id, refresh_token } = await before.signIn()
    const use = await before.codeOf({ client_id })
    const after = await makeSignIn({ env: { SIGN_IN_SECRET: 'encrypts from now on' } })
    const told = '400 invalid_client: The registration is no longer valid. Register again.'
    expect(await oauthErrorOf(await after.refresh(client_id, refresh_token))).toBe(told)
    expect(await oauthErrorOf(await after.exchange(use))).toBe(told)
    const renewed = await after.signIn()
    expect(await oauthErrorOf(await after.refresh(renewed.client_id, refresh_token))).toBe(
      '400 invalid_grant: The token is not valid.',
    )
  })

  it('is not, if it has a document', async () => {
    const { refresh } = await makeSignIn()
    expect(await oauthErrorOf(await refresh('https://host.example/client.json', 'none'))).toBe(
      '400 invalid_grant: The token is not valid.',
    )
  })
})
