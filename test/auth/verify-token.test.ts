/** Tokens of the service's own secret and API keys: whom they stand for, and until when. */
import { errors } from 'jose'
import { describe, expect, it } from 'vitest'
import { tokenVerifier } from '../../src/auth/verify-token.ts'
import { SCOPES, type Caller } from '../../src/caller.ts'
import type { AuthConfig } from '../../src/config.ts'
import type { ApiKeyOwner } from '../../src/settings.ts'
import { AppError } from '../../src/errors.ts'
import { signToken } from '../support/sign-token.ts'
import { NOW, NOW_S, refusalOf, SECRET_AUTH, sha256Hex } from './harness.ts'

const ALICE: Caller = {
  tenant: 'acme',
  user: 'alice',
  isCompanion: false,
  scopes: new Set(SCOPES),
  paths: undefined,
}
const CLAIMS = { tenant: 'acme', sub: 'alice' }

const verifierFor = (auth: Partial<AuthConfig> = {}, now = NOW) =>
  tokenVerifier({ ...SECRET_AUTH, ...auth }, () => now)

describe('a token signed with the secret', () => {
  it('stands for the caller its claims name', async () => {
    expect(await verifierFor()(await signToken(CLAIMS, { now: NOW }))).toEqual(ALICE)
  })

  it('is forbidden, not unknown, without a tenant', async () => {
    const token = await signToken({ sub: 'alice' }, { now: NOW })
    expect(await refusalOf(verifierFor()(token))).toBe('forbidden: The token names no tenant.')
  })

  it('is checked anew every time, by the clock of that moment', async () => {
    let now = NOW
    const verify = tokenVerifier(SECRET_AUTH, () => now)
    const token = await signToken(CLAIMS, { now: NOW, ttlS: 60 })
    expect(await verify(token)).toEqual(ALICE)
    now = new Date(NOW.getTime() + 60_000)
    expect(await refusalOf(verify(token))).toBe('unauthenticated: The token has expired.')
  })

  it('is checked by a verifier that many use at once', async () => {
    const verify = verifierFor()
    const users = Array.from({ length: 20 }, (_, i) => `user${i}`)
    const tokens = await Promise.all(
      users.map((sub) => signToken({ ...CLAIMS, sub }, { now: NOW })),
    )
    expect(await Promise.all(tokens.map((token) => verify(token)))).toEqual(
      users.map((user) => ({ ...ALICE, user })),
    )
  })
})

it.each([
  [{ exp: NOW_S + 1 }, 'accepted'],
  [{ exp: NOW_S + 0.5 }, 'accepted'],
  [{ exp: NOW_S }, 'unauthenticated: The token has expired.'],
  [{ exp: NOW_S - 1 }, 'unauthenticated: The token has expired.'],
  [{ exp: undefined }, 'unauthenticated: The token has no expiry.'],
  [{ nbf: NOW_S }, 'accepted'],
  [{ nbf: NOW_S + 1 }, 'unauthenticated: The token is not valid yet.'],
  [{ iat: NOW_S + 3600, exp: NOW_S + 7200 }, 'accepted'],
  [{ iat: 'now' }, 'unauthenticated: The token is not valid.'],
])('the time of a token with %j: %s', async (times, outcome) => {
  const token = await signToken({ ...CLAIMS, ...times }, { now: NOW })
  expect(await refusalOf(verifierFor()(token))).toContain(outcome)
})

describe('issuer and audience', () => {
  const OTHER_ISSUER = 'unauthenticated: The token comes from another issuer.'
  const OTHER_SERVICE = 'unauthenticated: The token is meant for another service.'
  const GOOD = { iss: 'https://id.example.com', aud: 'moonbucket' }

  it.each([
    [GOOD, 'accepted'],
    [{ ...GOOD, aud: ['other', 'moonbucket'] }, 'accepted'],
    [{ ...GOOD, iss: 'https://id.example.com/' }, OTHER_ISSUER],
    [{ ...GOOD, iss: 'https://evil.example.com' }, OTHER_ISSUER],
    [{ aud: GOOD.aud }, OTHER_ISSUER],
    [{ ...GOOD, aud: 'other' }, OTHER_SERVICE],
    [{ ...GOOD, aud: [] }, OTHER_SERVICE],
    [{ ...GOOD, aud: 'moonbucket other' }, OTHER_SERVICE],
    [{ iss: GOOD.iss }, OTHER_SERVICE],
  ])('of %j, when both are configured: %s', async (claims, outcome) => {
    const verify = verifierFor({ issuer: GOOD.iss, audience: GOOD.aud })
    const token = await signToken({ ...CLAIMS, ...claims }, { now: NOW })
    expect(await refusalOf(verify(token))).toContain(outcome)
  })

  it('may be anything when none is configured', async () => {
    const token = await signToken({ ...CLAIMS, iss: 'whoever', aud: 'any' }, { now: NOW })
    expect(await verifierFor()(token)).toEqual(ALICE)
  })
})

describe('an API key', () => {
  const KEY = 'mb_7fK2-local-key'

  async function verifierWith(owner: ApiKeyOwner, auth: Partial<AuthConfig> = {}, key = KEY) {
    return verifierFor({ apiKeys: new Map([[await sha256Hex(key), owner]]), ...auth })
  }

  it.each<[ApiKeyOwner, Partial<Caller>]>([
    [{ tenant: 'acme' }, { user: null }],
    [{ tenant: 'acme', user: 'alice' }, {}],
    [{ tenant: 'acme', user: 'alice', scopes: [] }, { scopes: new Set() }],
    [
      { tenant: 'acme', user: 'alice', scopes: ['files:read'] },
      { scopes: new Set(['files:read']) },
    ],
    [
      { tenant: 'acme', user: 'Companion' },
      { user: 'Companion', isCompanion: true },
    ],
    [{ tenant: 'companion', user: 'alice' }, { tenant: 'companion' }],
  ])('of %j stands for its owner', async (owner, caller) => {
    const apiKey = await sha256Hex(KEY)
    expect(await (await verifierWith(owner))(KEY)).toEqual({ ...ALICE, ...caller, apiKey })
  })

  it('has the configured scopes if its owner has none', async () => {
    const verify = await verifierWith({ tenant: 'acme' }, { defaultScopes: ['execute'] })
    expect((await verify(KEY)).scopes).toEqual(new Set(['execute']))
  })

  it('keeps tenant and user apart, whatever claim names the tenant of a JWT', async () => {
    const verify = await verifierWith({ tenant: 'acme', user: 'alice' }, { tenantClaim: 'sub' })
    expect(await verify(KEY)).toMatchObject(ALICE)
  })

  it.each(['a.b.c', 'sk.live.51H', 'x', 'k'.repeat(16_384)])(
    'may be spelled %.20s',
    async (key) => {
      const verify = await verifierWith({ tenant: 'acme', user: 'alice' }, {}, key)
      expect(await verify(key)).toEqual({ ...ALICE, apiKey: await sha256Hex(key) })
    },
  )

  it('works without any other way to sign in, and beside them', async () => {
    const owner = { tenant: 'acme', user: 'alice' }
    const jwt = await signToken(CLAIMS, { now: NOW })
    const alone = await verifierWith(owner, { secret: undefined })
    expect(await alone(KEY)).toMatchObject(ALICE)
    expect(await refusalOf(alone(jwt))).toBe('unauthenticated: The token is not valid.')
    const beside = await verifierWith(owner)
    expect(await beside(KEY)).toMatchObject(ALICE)
    expect(await beside(jwt)).toEqual(ALICE)
  })

  it('of an owner whose name has no bytes is forbidden', async () => {
    const verify = await verifierWith({ tenant: '\ud800' })
    expect(await refusalOf(verify(KEY))).toContain('forbidden: ')
  })
})

describe('a refusal', () => {
  const rejection = (token: string) => verifierFor()(token).catch((error: unknown) => error)

  it.each([
    [{ ttlS: -1 }, errors.JWTExpired],
    [{ secret: 'a guess' }, errors.JWSSignatureVerificationFailed],
  ])('of a token with %j keeps its cause for the log', async (options, cause) => {
    const error = await rejection(await signToken(CLAIMS, { now: NOW, ...options }))
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).cause).toBeInstanceOf(cause)
  })

  it('shows nothing of the token', async () => {
    const claims = { tenant: 'sesame', sub: 'sesame', iss: 'sesame', exp: NOW_S - 1 }
    const expired = await signToken(claims, { now: NOW })
    const forged = await signToken(claims, { now: NOW, secret: 'sesame, but not the secret' })
    for (const token of [expired, forged, 'sesame', 'sesame.sesame.sesame']) {
      const { message } = (await rejection(token)) as AppError
      expect(message).toMatch(/^The token (has expired|is not valid)\.$/)
    }
  })

  it('is never made of a fault that is not the token’s', async () => {
    const broken = tokenVerifier(SECRET_AUTH, () => new Date(NaN))
    await expect(broken(await signToken(CLAIMS))).rejects.toBeInstanceOf(TypeError)
  })
})
