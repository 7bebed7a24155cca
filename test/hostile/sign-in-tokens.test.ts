/** Attacks with the tokens of sign-in: reuse, other purposes, other audiences, wider rights. */
import { EncryptJWT, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { ORIGIN } from '../support/make-app.ts'
import { sweep } from '../../src/operations/sweep/sweep.ts'
import { bytesOf, makeSignIn, oauthErrorOf, SECRET, type Tokens } from '../sign-in/make-sign-in.ts'

describe('a refresh token', () => {
  it('used twice ends the whole sign-in', async () => {
    const { signIn, refresh, statusWith, events } = await makeSignIn()
    const first = await signIn()
    const { client_id } = first
    const second = (await (await refresh(client_id, first.refresh_token)).json()) as Tokens
    expect(await statusWith(second.access_token)).toBe(200)
    const reason = 'The refresh token was used before: its sign-in is revoked.'
    expect(await oauthErrorOf(await refresh(client_id, first.refresh_token))).toBe(
      `400 invalid_grant: ${reason}`,
    )
    for (const token of [first.refresh_token, second.refresh_token]) {
      expect((await refresh(client_id, token)).status).toBe(400)
    }
    expect(await statusWith(first.access_token)).toBe(401)
    expect(await statusWith(second.access_token)).toBe(401)
    expect(events.filter(({ event }) => event === 'denied')[0]).toMatchObject({ reason })
  })

  it('ends no other sign-in of the same key', async () => {
    const { signIn, refresh, statusWith } = await makeSignIn()
    const [one, other] = [await signIn(), await signIn()]
    for (let i = 0; i < 2; i++) await refresh(one.client_id, one.refresh_token)
    expect(await statusWith(other.access_token)).toBe(200)
    expect((await refresh(other.client_id, other.refresh_token)).status).toBe(200)
  })

  it('of another client is refused, and keeps working for its own', async () => {
    const { signIn, refresh, register } = await makeSignIn()
    const { client_id, refresh_token } = await signIn()
    const thief = await register({ redirect_uris: ['https://evil.example/'] })
    expect(await oauthErrorOf(await refresh(thief, refresh_token))).toBe(
      '400 invalid_grant: It was issued to another client.',
    )
    expect((await refresh(client_id, refresh_token)).status).toBe(200)
  })

  it('gains no scope', async () => {
    const { signIn, refresh } = await makeSignIn()
    const { client_id, refresh_token } = await signIn({ scope: 'files:read' })
    const wider = { scope: 'files:read files:write admin' }
    const renewed = await refresh(client_id, refresh_token, wider)
    const { scope, refresh_token: next } = (await renewed.json()) as Tokens
    expect(scope).toBe('files:read')
    const other = await refresh(client_id, next, { scope: 'execute' })
    expect(await oauthErrorOf(other)).toMatch(/^400 invalid_scope/)
  })

  it('is over after 30 days, and what was stored of it goes', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const { signIn, refresh, textsUnder, service } = await makeSignIn({ now: () => now })
    const { client_id, refresh_token } = await signIn()
    const response = await refresh(client_id, refresh_token)
    const { refresh_token: next } = (await response.json()) as Tokens
    now = new Date('2026-03-31T12:00:01Z')
    expect(await oauthErrorOf(await refresh(client_id, next))).toBe(
      '400 invalid_grant: The token has expired.',
    )
    const left = async () => Object.keys(await textsUnder('.sign-in/used/')).length
    await sweep(service)
    expect(await left()).toBe(1)
    now = new Date('2026-04-02T12:00:00Z')
    await sweep(service)
    expect(await left()).toBe(0)
  })
})

describe('none passes for another', () => {
  it('as an access token', async () => {
    const { signIn, codeOf, ask, statusWith } = await makeSignIn()
    const { client_id, refresh_token } = await signIn()
    const { code } = await codeOf({ client_id })
    const { ticket } = await ask({ client_id })
    for (const token of [client_id, refresh_token, code, ticket]) {
      expect([await statusWith(token), await statusWith(token, '/usage')]).toEqual([401, 401])
    }
  })

  it('as a code, a refresh token, a client or a form', async () => {
    const { signIn, codeOf, ask, answer, exchange, refresh, open } = await makeSignIn()
    const { client_id, refresh_token, access_token } = await signIn()
    const use = await codeOf({ client_id })
    const { ticket, cookie } = await ask({ client_id })
    for (const code of [client_id, refresh_token, access_token, ticket]) {
      expect((await exchange({ ...use, code })).status).toBe(400)
    }
    for (const token of [client_id, use.code, access_token, ticket]) {
      expect((await refresh(client_id, token)).status).toBe(400)
    }
    for (const id of [refresh_token, use.code, access_token, ticket]) {
      const response = await open({ client_id: id })
      expect([response.status, response.headers.get('Location')]).toEqual([400, null])
    }
    for (const sealed of [client_id, refresh_token, use.code, access_token]) {
      expect((await answer({ cookie, ticket: sealed })).status).toBe(403)
    }
  })
})

describe('an access token', () => {
  it('is for one address of the service', async () => {
    const { signIn, app } = await makeSignIn()
    const { access_token } = await signIn()
    const headers = { Authorization: `Bearer ${access_token}` }
    const at = async (origin: string) => (await app.request(`${origin}/usage`, { headers })).status
    expect(await at(ORIGIN)).toBe(200)
    expect(await at('https://other.test')).toBe(401)
    expect(await at('http://moonbucket.test')).toBe(401)
  })

  it('is over after an hour', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const { signIn, statusWith } = await makeSignIn({ now: () => now })
    const { access_token } = await signIn()
    now = new Date('2026-03-01T13:00:01Z')
    expect(await statusWith(access_token)).toBe(401)
  })

  it('never has the scope admin, whatever the key has', async () => {
    const owners = { 'key of alice': { scopes: ['execute', 'admin'] as const } }
    const { signIn, request } = await makeSignIn({}, owners)
    const { access_token } = await signIn({ scope: 'execute admin' })
    const response = await request('/usage', {
      headers: { Authorization: `Bearer ${access_token}` },
    })
    expect(await response.json()).not.toHaveProperty('webhook_key')
  })

  it('does less when the key does', async () => {
    const before = await makeSignIn()
    const { access_token } = await before.signIn()
    const { storage } = before
    const after = await makeSignIn({ storage }, { 'key of alice': { scopes: ['execute'] } })
    const response = await after.request('/fs/list', {
      method: 'POST',
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(403)
  })

  it('cannot be made without the secret, nor changed', async () => {
    const { signIn, statusWith } = await makeSignIn()
    const { access_token } = await signIn()
    const [header, key, iv, text, tag] = access_token.split('.')
    const flipped = text!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    const claims = { scope: 'execute', grant: { key: '0'.repeat(64) }, family: 'f', client: 'c' }
    const kid = (JSON.parse(atob(header!)) as { kid: string }).kid
    const make = (secret: Uint8Array) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid })
        .setIssuer(ORIGIN)
        .setAudience(`${ORIGIN}/mcp`)
        .setIssuedAt()
        .setExpirationTime('1h')
        .encrypt(secret)
    const padded = new Uint8Array(32)
    padded.set(bytesOf(SECRET).subarray(0, 32))
    const signed = await new SignJWT({ ...claims, tenant: 'acme' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setIssuer(ORIGIN)
      .setAudience(`${ORIGIN}/mcp`)
      .setExpirationTime('1h')
      .sign(bytesOf(SECRET))
    const forged = [
      [header, key, iv, flipped, tag].join('.'),
      [header, key, iv, text, ''].join('.'),
      await make(padded),
      await make(new Uint8Array(32)),
      signed,
      '....',
    ]
    for (const token of forged) expect(await statusWith(token)).toBe(401)
  })

  it('tells its holder nothing about the tenant or the key', async () => {
    const { signIn, tenant } = await makeSignIn()
    const { access_token, refresh_token } = await signIn()
    for (const token of [access_token, refresh_token]) {
      const readable = token
        .split('.')
        .map((part) => atob(part.replaceAll('-', '+').replaceAll('_', '/')))
        .join('\n')
      expect(readable).not.toContain(tenant)
      expect(readable).not.toContain('alice')
    }
  })
})
