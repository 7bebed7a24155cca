/** Signing in through the issuer of `AUTH_ISSUER`, and what its answers cannot do. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  makeChallenge,
  oauthErrorOf,
  REDIRECT_URI,
  redirectOf,
  type Tokens,
} from './make-sign-in.ts'
import { CALLBACK, makeIssuer, type IssuerFaults } from './make-issuer.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const DAY_MS = 24 * 3600 * 1000

describe('a sign-in through the issuer', () => {
  it('goes there by code and PKCE, and back with a token of its claims', async () => {
    const { leave, comeBack, asked, exchange, statusWith, events, issuer, request } =
      await makeIssuer({ claims: { paths: ['output'] } })
    const { verifier, challenge } = await makeChallenge()
    const left = await leave({ code_challenge: challenge })
    const { login } = left
    expect(login.origin).toBe(issuer)
    expect(Object.fromEntries(login.searchParams)).toEqual({
      of: 'us',
      response_type: 'code',
      client_id: 'moonbucket',
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: expect.stringMatching(/^[0-9a-f]{32}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    })
    const { code } = redirectOf(await comeBack(left, { iss: issuer }))
    const { form, authorization } = asked[0]!
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: CALLBACK,
      code_verifier: expect.any(String),
      client_id: 'moonbucket',
    })
    expect(authorization).toBe(`Basic ${btoa('moonbucket:known+to+the+issuer%3A+%C3%A4')}`)
    const { client_id } = left
    const use = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier }
    const { access_token } = (await (await exchange(use)).json()) as Tokens
    expect(await statusWith(access_token)).toBe(200)
    const write = (path: string) =>
      request('/fs/write', {
        method: 'POST',
        headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ path, content: 'x' }),
      })
    expect((await write('output/a')).status).toBe(200)
    expect((await write('elsewhere/a')).status).toBe(400)
    expect(events[0]).toMatchObject({ event: 'sign_in', method: 'issuer', tenant: 'acme' })
  })

  it('ends after seven days', async () => {
    let now = new Date()
    const { leave, comeBack, exchange, refresh } = await makeIssuer({}, { now: () => now })
    const { verifier, challenge } = await makeChallenge()
    const left = await leave({ code_challenge: challenge })
    const { client_id } = left
    const { code } = redirectOf(await comeBack(left))
    const use = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier }
    const first = (await (await exchange(use)).json()) as Tokens
    now = new Date(now.getTime() + 6 * DAY_MS)
    const second = await refresh(client_id, first.refresh_token)
    const { refresh_token } = (await second.json()) as Tokens
    now = new Date(now.getTime() + DAY_MS + 1000)
    expect(await oauthErrorOf(await refresh(client_id, refresh_token))).toBe(
      '400 invalid_grant: The key or account that signed in is no longer valid.',
    )
  })

  it('shows no field for a key, and takes none', async () => {
    const { register, ask, answer } = await makeIssuer()
    const consent = await ask({ client_id: await register() })
    expect(consent.html).not.toContain('name="key"')
    expect((await answer(consent)).status).toBe(400)
  })

  it('sends its secret in the form where the issuer takes it only there', async () => {
    const metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    const { leave, comeBack, asked } = await makeIssuer({ metadata })
    expect((await comeBack(await leave())).status).toBe(303)
    expect(asked[0]!.authorization).toBeNull()
    expect(asked[0]!.form.get('client_secret')).toBe('known to the issuer: ä')
  })
})

describe('an answer of the issuer', () => {
  const NOT_VALID = 'The token from the issuer is not valid.'
  const FAULTS: [string, IssuerFaults, string][] = [
    ['for another client', { claims: { aud: 'other' } }, NOT_VALID],
    ['passed on by another client', { claims: { azp: 'other' } }, NOT_VALID],
    ['of another sign-in', { claims: { nonce: 'f'.repeat(32) } }, NOT_VALID],
    ['without a nonce', { claims: { nonce: undefined } }, NOT_VALID],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, NOT_VALID],
    ['that is over', { claims: { exp: 1 } }, NOT_VALID],
    ['without a tenant', { claims: { tenant: undefined } }, 'The token names no tenant.'],
    ['without a scope', { claims: { scope: '' } }, 'The account allows none of that.'],
    ['that refuses the code', { status: 400 }, 'The issuer did not accept its own code.'],
  ]

  it.each(FAULTS)('%s signs nobody in', async (_, faults, error_description) => {
    const { leave, comeBack } = await makeIssuer(faults)
    const redirect = redirectOf(await comeBack(await leave()))
    expect(redirect).toMatchObject({ to: REDIRECT_URI, error: 'access_denied', error_description })
    expect(redirect).not.toHaveProperty('code')
  })

  it.each([
    ['of another server, by its iss', { iss: 'https://evil.example' }],
    ['with an error', { error: 'login_required' }],
  ])('%s is not used', async (_, more) => {
    const { leave, comeBack, asked } = await makeIssuer()
    expect(redirectOf(await comeBack(await leave(), more))).toMatchObject({
      error: 'access_denied',
      error_description: 'The issuer did not sign the person in.',
    })
    expect(asked).toEqual([])
  })

  it('in another browser, or with another state, signs nobody in', async () => {
    const { leave, comeBack } = await makeIssuer()
    const [one, other] = [await leave(), await leave()]
    const wrong = [
      comeBack({ ...one, cookie: '' }),
      comeBack({ ...one, cookie: other.cookie }),
      comeBack({ ...one, cookie: one.cookie.replace(/^[^;]*/, other.cookie.split(';')[0]!) }),
      comeBack(one, { state: '0'.repeat(32) }),
      comeBack(one, { state: '' }),
    ]
    for (const response of await Promise.all(wrong)) {
      expect([response.status, response.headers.get('Location')]).toEqual([403, null])
    }
  })

  it.each([
    ['is down', { isDown: true }],
    ['speaks for another', { metadata: { issuer: 'https://evil.example' } }],
    ['has a plain address', { metadata: { token_endpoint: 'http://evil.example/' } }],
    ['has no keys', { metadata: { jwks_uri: undefined } }],
  ])('is not awaited if it %s', async (_, faults) => {
    const { leave, events } = await makeIssuer(faults)
    const { response, html } = await leave()
    expect(response.status).toBe(503)
    expect(html).toContain('The issuer cannot be reached right now.')
    expect(events).toMatchObject([{ event: 'fault' }])
  })
})
