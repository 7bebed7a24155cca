/** Tokens of an issuer whose keys are fetched from a real server: rotation, floods, outages and recovery. */
import { createServer, type RequestListener } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tokenVerifier, type VerifyToken } from '../../src/auth/verify-token.ts'
import { SCOPES } from '../../src/caller.ts'
import { NOW, refusalOf, SECRET_AUTH } from '../auth/harness.ts'
import { freePort, listen } from '../support/listen.ts'
import { signToken, TEST_SECRET } from '../support/sign-token.ts'

const NOT_VALID = 'unauthenticated: The token is not valid.'
const UNAVAILABLE = 'keys_unavailable: Tokens cannot be checked right now. Try again shortly.'
const ACCEPTED = 'accepted: {"tenant":"acme","user":"alice","isCompanion":false,"scopes":{}}'
const ISSUED = { iss: 'https://id.example.com', aud: 'moonbucket' }
const HOUR_S = 3600

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

async function makeKey(kid: string | undefined, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), ...(kid && { kid }), alg } }
}

const sign = ({ privateKey, publicJwk }: SigningKey, kid = publicJwk.kid) =>
  new SignJWT({ tenant: 'acme', sub: 'alice', ...ISSUED })
    .setProtectedHeader({ alg: publicJwk.alg!, ...(kid && { kid }) })
    // Longer than any test moves the clock.
    .setExpirationTime(new Date(NOW.getTime() + 24 * HOUR_S * 1000))
    .sign(privateKey)

const OUTAGES: [string, RequestListener][] = [
  ['status 500', (_, response) => response.writeHead(500).end()],
  ['status 404', (_, response) => response.writeHead(404).end('{"keys":[]}')],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['no JSON', (_, response) => response.end('<!doctype html>')],
  ['half of the JSON', (_, response) => response.end('{"keys":[')],
  ['JSON without keys', (_, response) => response.end('{}')],
  ['JSON that is null', (_, response) => response.end('null')],
  ['keys that are none', (_, response) => response.end('{"keys":["k1"]}')],
  ['a connection that breaks', (request) => request.destroy()],
  ['no answer', () => {}],
  ['an answer without an end', (_, response) => response.writeHead(200).write('{"keys":[')],
]

let answer: RequestListener
/** Shortens the wait for answers that never come. */
let isFailing: boolean
let requests: number
let now: Date
let verify: VerifyToken

const issuer = await listen(
  createServer((request, response) => {
    requests++
    answer(request, response)
  }),
)
afterAll(() => issuer.stop())

const serve = (...keys: (SigningKey | JWK)[]) => {
  const jwks = keys.map((key) => ('publicJwk' in key ? key.publicJwk : key))
  answer = (_, response) => response.end(JSON.stringify({ keys: jwks }))
  isFailing = false
}
const fail = (outage: RequestListener = (_, response) => response.writeHead(503).end()) => {
  answer = outage
  isFailing = true
}
const passS = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const outcomeOf = (token: string) => refusalOf(verify(token))

beforeEach(() => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(isFailing ? 50 : ms))
  now = NOW
  requests = 0
  verify = verifierWith({})
})

afterEach(() => void vi.restoreAllMocks())

function verifierWith({ secret, origin = issuer.origin }: { secret?: string; origin?: string }) {
  const { iss, aud } = ISSUED
  const jwksUrl = `${origin}/keys`
  const auth = { ...SECRET_AUTH, secret, jwksUrl, issuer: iss, audience: aud }
  return tokenVerifier(auth, () => now)
}

describe('a token of the issuer', () => {
  it.each([
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'Ed25519',
  ])('signed with %s stands for its caller', async (alg) => {
    const key = await makeKey('k1', alg)
    serve(key)
    expect(await verify(await sign(key))).toEqual({
      tenant: 'acme',
      user: 'alice',
      isCompanion: false,
      scopes: new Set(SCOPES),
      paths: undefined,
    })
  })

  it('may leave the key unnamed where only one fits', async () => {
    const [key, other] = [await makeKey(undefined), await makeKey(undefined, 'RS256')]
    serve(key, other)
    expect(await outcomeOf(await sign(key))).toBe(ACCEPTED)
  })

  it('must name its key where several fit', async () => {
    const [key, other] = [await makeKey(undefined), await makeKey(undefined)]
    serve(key, other)
    expect(await outcomeOf(await sign(key))).toBe(NOT_VALID)
  })

  it('is not accepted under the name of another key', async () => {
    const [key, other] = [await makeKey('k1'), await makeKey('k2')]
    serve(key, other)
    expect(await outcomeOf(await sign(key, 'k2'))).toBe(NOT_VALID)
  })

  it('lives beside tokens of the secret, each checked by its own key', async () => {
    const key = await makeKey('k1')
    serve(key)
    verify = verifierWith({ secret: TEST_SECRET })
    const own = await signToken({ tenant: 'acme', sub: 'alice', ...ISSUED }, { now: NOW })
    expect(await outcomeOf(own)).toBe(ACCEPTED)
    expect(requests).toBe(0)
    expect(await outcomeOf(await sign(key))).toBe(ACCEPTED)
    expect(requests).toBe(1)
  })
})

describe('the keys', () => {
  it('are asked for when the first token needs them, and once', async () => {
    const key = await makeKey('k1')
    serve(key)
    const token = await sign(key)
    expect(requests).toBe(0)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(token)))
    expect(new Set(outcomes)).toEqual(new Set([ACCEPTED]))
    passS(599)
    expect(await outcomeOf(token)).toBe(ACCEPTED)
    expect(requests).toBe(1)
  })

  it('are not asked for by what cannot be a token of the issuer', async () => {
    serve(await makeKey('k1'))
    for (const token of ['abc', 'a.b.c', await signToken({ tenant: 'acme' }, { now: NOW })]) {
      expect(await outcomeOf(token)).toBe(NOT_VALID)
    }
    expect(requests).toBe(0)
  })

  it('are renewed for the first token of a new key', async () => {
    const [old, next] = [await makeKey('k1'), await makeKey('k2')]
    serve(old)
    expect(await outcomeOf(await sign(old))).toBe(ACCEPTED)
    serve(old, next)
    passS(30)
    expect(await outcomeOf(await sign(next))).toBe(ACCEPTED)
    expect(await outcomeOf(await sign(old))).toBe(ACCEPTED)
    expect(requests).toBe(2)
  })

  it('are renewed at most once in 30 seconds, however many keys are made up', async () => {
    const [key, next, stranger] = [await makeKey('k1'), await makeKey('k2'), await makeKey('x')]
    const flood = async () => {
      const tokens = Array.from({ length: 50 }, (_, i) => sign(stranger, `made-up-${i}`))
      const outcomes = await Promise.all((await Promise.all(tokens)).map(outcomeOf))
      expect(new Set(outcomes)).toEqual(new Set([NOT_VALID]))
    }
    serve(key)
    await flood()
    expect(requests).toBe(1)
    serve(key, next)
    passS(29)
    await flood()
    expect(await outcomeOf(await sign(next))).toBe(NOT_VALID)
    expect(requests).toBe(1)
    passS(1)
    await flood()
    expect(await outcomeOf(await sign(next))).toBe(ACCEPTED)
    await flood()
    expect(requests).toBe(2)
  })

  it('stop working ten minutes after the issuer withdrew them', async () => {
    const [old, next] = [await makeKey('k1'), await makeKey('k2')]
    serve(old)
    expect(await outcomeOf(await sign(old))).toBe(ACCEPTED)
    serve(next)
    passS(599)
    expect(await outcomeOf(await sign(old))).toBe(ACCEPTED)
    passS(1)
    expect(await outcomeOf(await sign(old))).toBe(NOT_VALID)
    expect(requests).toBe(2)
  })
})

describe('an outage of the issuer', () => {
  it.each(OUTAGES)('with %s says nothing against a token, and passes', async (_, outage) => {
    const key = await makeKey('k1')
    const token = await sign(key)
    fail(outage)
    expect(await outcomeOf(token)).toBe(UNAVAILABLE)
    serve(key)
    passS(1)
    expect(await outcomeOf(token)).toBe(ACCEPTED)
  })

  it('with a refused connection says nothing against a token', async () => {
    const token = await sign(await makeKey('k1'))
    verify = verifierWith({ origin: `http://127.0.0.1:${await freePort()}` })
    expect(await outcomeOf(token)).toBe(UNAVAILABLE)
  })

  it('keeps its cause for the log', async () => {
    const token = await sign(await makeKey('k1'))
    fail()
    await expect(verify(token)).rejects.toMatchObject({
      cause: { message: 'Expected 200 OK from the JSON Web Key Set HTTP response' },
    })
  })

  it.each(OUTAGES)('with %s leaves the known keys at work for an hour', async (_, outage) => {
    const [key, next] = [await makeKey('k1'), await makeKey('k2')]
    const token = await sign(key)
    serve(key)
    expect(await outcomeOf(token)).toBe(ACCEPTED)
    fail(outage)
    for (const seconds of [60, 540, 2999]) {
      passS(seconds)
      expect(await outcomeOf(token)).toBe(ACCEPTED)
      expect(await outcomeOf(await sign(next))).toBe(UNAVAILABLE)
    }
    passS(1)
    expect(await outcomeOf(token)).toBe(UNAVAILABLE)
    serve(key, next)
    passS(30)
    expect(await outcomeOf(token)).toBe(ACCEPTED)
    expect(await outcomeOf(await sign(next))).toBe(ACCEPTED)
  })

  it('is not made worse: one request in 30 seconds while there are keys', async () => {
    const [key, stranger] = [await makeKey('k1'), await makeKey('x')]
    serve(key)
    expect(await outcomeOf(await sign(key))).toBe(ACCEPTED)
    fail()
    passS(600)
    for (let i = 0; i < 10; i++) {
      expect(await outcomeOf(await sign(key))).toBe(ACCEPTED)
      expect(await outcomeOf(await sign(stranger, `made-up-${i}`))).toBe(UNAVAILABLE)
    }
    expect(requests).toBe(2)
    passS(30)
    expect(await outcomeOf(await sign(stranger))).toBe(UNAVAILABLE)
    expect(requests).toBe(3)
  })

  it('is not made worse: one request in a second while there are none', async () => {
    const token = await sign(await makeKey('k1'))
    fail()
    for (let i = 0; i < 10; i++) expect(await outcomeOf(token)).toBe(UNAVAILABLE)
    expect(requests).toBe(1)
    passS(1)
    expect(await outcomeOf(token)).toBe(UNAVAILABLE)
    expect(requests).toBe(2)
  })

  it('does not concern tokens of the secret', async () => {
    fail()
    verify = verifierWith({ secret: TEST_SECRET })
    const own = await signToken({ tenant: 'acme', sub: 'alice', ...ISSUED }, { now: NOW })
    expect(await outcomeOf(own)).toBe(ACCEPTED)
  })
})

describe('a broken key of the issuer', () => {
  it.each<[string, (key: SigningKey) => Promise<JWK>]>([
    [
      'is private',
      async (key) => ({ ...(await exportJWK(key.privateKey)), kid: 'k1', alg: 'ES256' }),
    ],
    ['is cut short', async ({ publicJwk }) => ({ ...publicJwk, x: publicJwk.x!.slice(4) })],
    ['lacks a part', async ({ publicJwk: { kty, crv, x } }) => ({ kty, crv, x, kid: 'k1' }) as JWK],
  ])('that %s says nothing against a token', async (_, breakKey) => {
    const [key, good] = [await makeKey('k1'), await makeKey('k2')]
    serve(await breakKey(key), good)
    expect(await outcomeOf(await sign(key))).toBe(UNAVAILABLE)
    expect(await outcomeOf(await sign(good))).toBe(ACCEPTED)
  })

  it('that is too weak to trust is reported as what it is', async () => {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024 }
    const publicExponent = Uint8Array.of(1, 0, 1)
    const pair = await crypto.subtle.generateKey({ ...algorithm, publicExponent }, true, ['sign'])
    serve({ ...(await exportJWK(pair.publicKey)), kid: 'k1' })
    const token = await sign(await makeKey('k1', 'RS256'))
    await expect(verify(token)).rejects.toThrow(/^RS256 requires key modulusLength/)
  })
})
