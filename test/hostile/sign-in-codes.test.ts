/** Attacks on codes and PKCE at `/authorize` and `/token` (RFC 9700). */
import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  makeChallenge,
  makeSignIn,
  oauthErrorOf,
  redirectOf,
} from '../sign-in/make-sign-in.ts'

const WRONG_VERIFIER = '400 invalid_grant: code_verifier does not match the code.'

describe('a code', () => {
  it('works once: the second use also ends what the first gave', async () => {
    const { codeOf, exchange, refresh, statusWith, events, tenant } = await makeSignIn()
    const use = await codeOf()
    const first = await exchange(use)
    const tokens = (await first.json()) as { access_token: string; refresh_token: string }
    const reason = 'The code was used before: its sign-in is revoked.'
    expect(await oauthErrorOf(await exchange(use))).toBe(`400 invalid_grant: ${reason}`)
    expect(await statusWith(tokens.access_token)).toBe(401)
    expect((await refresh(use.client_id, tokens.refresh_token)).status).toBe(400)
    expect(events.find(({ event }) => event === 'denied')).toMatchObject({ reason, tenant })
  })

  it('works once, however many use it at the same time', async () => {
    const { codeOf, exchange } = await makeSignIn()
    const use = await codeOf()
    const responses = await Promise.all(Array.from({ length: 8 }, () => exchange(use)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 400)])
  })

  it('of another sign-in cannot be injected: the verifier does not fit', async () => {
    const { codeOf, exchange, register } = await makeSignIn()
    const client_id = await register()
    const stolen = await codeOf({ client_id })
    const own = await codeOf({ client_id })
    const injected = { ...own, code: stolen.code }
    expect(await oauthErrorOf(await exchange(injected))).toBe(WRONG_VERIFIER)
    // A failed attempt does not spend it for its owner.
    expect((await exchange(stolen)).status).toBe(200)
  })

  it('of another client is refused', async () => {
    const { codeOf, exchange, register } = await makeSignIn()
    const use = await codeOf()
    const client_id = await register({ redirect_uris: ['https://evil.example/'] })
    expect(await oauthErrorOf(await exchange({ ...use, client_id }))).toBe(
      '400 invalid_grant: It was issued to another client.',
    )
  })

  it('needs the redirect URI of its request, if one is sent', async () => {
    const { codeOf, exchange } = await makeSignIn()
    const use = await codeOf()
    const other = { ...use, redirect_uri: 'https://host.example/other' }
    expect(await oauthErrorOf(await exchange(other))).toBe(
      '400 invalid_grant: redirect_uri is not the one the code is for.',
    )
    expect((await exchange({ ...use, redirect_uri: undefined })).status).toBe(200)
  })

  it('is over after a minute', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const { codeOf, exchange } = await makeSignIn({ now: () => now })
    const use = await codeOf()
    now = new Date('2026-03-01T12:01:01Z')
    expect(await oauthErrorOf(await exchange(use))).toBe(
      '400 invalid_grant: The token has expired.',
    )
  })

  it('of another address of the service is refused', async () => {
    const { codeOf, postForm, postJson } = await makeSignIn()
    const use = await codeOf()
    // A host that is known at both.
    const registered = await postJson('https://other.test/register', CLIENT)
    const { client_id } = (await registered.json()) as { client_id: string }
    const response = await postForm('https://other.test/token', { ...use, client_id })
    expect(await oauthErrorOf(response)).toBe(
      '400 invalid_grant: The token is meant for another service.',
    )
  })
})

describe('PKCE', () => {
  it.each([
    ['no challenge', { code_challenge: undefined }],
    ['no method', { code_challenge_method: undefined }],
    ['method plain', { code_challenge_method: 'plain' }],
    ['method s256', { code_challenge_method: 's256' }],
    ['a short challenge', { code_challenge: 'short' }],
    ['a long challenge', { code_challenge: 'x'.repeat(44) }],
  ])('cannot be left out: %s', async (_, parameters) => {
    const { register, open } = await makeSignIn()
    const response = await open({ client_id: await register(), ...parameters })
    expect(redirectOf(response)).toMatchObject({ error: 'invalid_request', state: 'of the host' })
  })

  it.each([
    ['none', undefined, '400 invalid_request: code_verifier is required.'],
    ['an empty one', '', '400 invalid_request: code_verifier is required.'],
    ['another one', 'x'.repeat(43), WRONG_VERIFIER],
    ['a short one', 'x', WRONG_VERIFIER],
  ])('needs its verifier: %s is refused', async (_, code_verifier, refusal) => {
    const { codeOf, exchange } = await makeSignIn()
    const use = await codeOf()
    expect(await oauthErrorOf(await exchange({ ...use, code_verifier }))).toBe(refusal)
  })

  it('does not take the challenge for the verifier', async () => {
    const { register, ask, answer, exchange } = await makeSignIn()
    const { challenge } = await makeChallenge()
    const client_id = await register()
    const response = await answer(await ask({ client_id, code_challenge: challenge }))
    const { code } = redirectOf(response)
    const use = { grant_type: 'authorization_code', client_id, code, code_verifier: challenge }
    expect(await oauthErrorOf(await exchange(use))).toBe(WRONG_VERIFIER)
  })
})

describe('mix-up', () => {
  it('is noticed by clients: every answer says whose it is', async () => {
    const { register, ask, answer, open } = await makeSignIn()
    const client_id = await register()
    const iss = 'https://moonbucket.test'
    expect(redirectOf(await answer(await ask({ client_id })))).toMatchObject({ iss })
    expect(redirectOf(await open({ client_id, response_type: 'token' }))).toMatchObject({ iss })
  })
})

describe('parameters', () => {
  it.each([
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response_type', { response_type: undefined }, 'unsupported_response_type'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['a resource below ours', { resource: 'https://moonbucket.test/mcp/x' }, 'invalid_target'],
    ['unknown scopes only', { scope: 'admin root' }, 'invalid_scope'],
  ])('%s is refused to the client', async (_, parameters, error) => {
    const { register, open } = await makeSignIn()
    expect(redirectOf(await open({ client_id: await register(), ...parameters }))).toMatchObject({
      to: 'https://host.example/callback',
      error,
    })
  })

  it('given twice are refused', async () => {
    const { register, request } = await makeSignIn()
    const client_id = encodeURIComponent(await register())
    const uri = encodeURIComponent('https://host.example/callback')
    const start = `/authorize?client_id=${client_id}&redirect_uri=${uri}`
    const twice = await request(`${start}&response_type=code&response_type=code`)
    expect(redirectOf(twice)).toMatchObject({ error: 'invalid_request' })
    for (const repeated of [`client_id=${client_id}`, `redirect_uri=${uri}`]) {
      const response = await request(`${start}&response_type=code&${repeated}`)
      expect([response.status, response.headers.get('Location')]).toEqual([400, null])
    }
  })

  it.each([
    [{}, '400 invalid_request: grant_type must be authorization_code or refresh_token.'],
    [
      { grant_type: 'password', username: 'a', password: 'b' },
      '400 unsupported_grant_type: grant_type must be authorization_code or refresh_token.',
    ],
    [{ grant_type: 'authorization_code' }, '400 invalid_request: code is required.'],
    [
      { grant_type: 'authorization_code', code: 'x', resource: 'https://elsewhere.example' },
      '400 invalid_target: resource is not this service.',
    ],
    [
      { grant_type: 'authorization_code', code: 'x' },
      '400 invalid_request: client_id is required.',
    ],
  ])('of /token: %j is refused', async (form, refusal) => {
    const { exchange } = await makeSignIn()
    expect(await oauthErrorOf(await exchange(form))).toBe(refusal)
  })

  it('of /token count only in a form of bounded size', async () => {
    const { request, exchange } = await makeSignIn()
    const inAddress = await request('/token?grant_type=refresh_token', { method: 'POST' })
    expect(inAddress.status).toBe(400)
    expect((await exchange({ grant_type: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await request('/token')).status).toBe(404)
  })
})
