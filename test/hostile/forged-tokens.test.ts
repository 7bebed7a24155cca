/** Tokens that somebody without a key made up, changed, kept too long or brought from elsewhere open nothing. */
import { base64url, CompactEncrypt, exportJWK, exportSPKI, generateKeyPair, type JWK } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SCOPES } from '../../src/caller.ts'
import { tokenVerifier, type VerifyToken } from '../../src/auth/verify-token.ts'
import type { AuthConfig } from '../../src/config.ts'
import { NOW, NOW_S, refusalOf, SECRET_AUTH, sha256Hex } from '../auth/harness.ts'
import { signToken, TEST_SECRET } from '../support/sign-token.ts'

const NOT_VALID = 'unauthenticated: The token is not valid.'
const NO_EXPIRY = 'unauthenticated: The token has no expiry.'
const EXPIRED = 'unauthenticated: The token has expired.'

const KEYS_URL = 'https://id.example.com/keys'
const ISSUED = { iss: 'https://id.example.com', aud: 'moonbucket' }
const CLAIMS = { tenant: 'acme', sub: 'alice', ...ISSUED, exp: NOW_S + 60 }
const ACCEPTED = 'accepted: {"tenant":"acme","user":"alice","isCompanion":false,"scopes":{}}'

const KEYS_AUTH: AuthConfig = {
  ...SECRET_AUTH,
  secret: undefined,
  jwksUrl: KEYS_URL,
  issuer: ISSUED.iss,
  audience: ISSUED.aud,
}

const encoder = new TextEncoder()
const encode = (part: unknown) =>
  base64url.encode(typeof part === 'string' ? part : JSON.stringify(part))
const now = () => NOW

type Sign = (input: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>

/** Any header over any claims, which need not even be JSON. */
async function forge(header: unknown, claims: unknown, sign: Sign): Promise<string> {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${base64url.encode(new Uint8Array(await sign(encoder.encode(input))))}`
}

function withSecret(secret: string | Uint8Array, hash = 'SHA-256'): Sign {
  const bytes = Uint8Array.from(typeof secret === 'string' ? encoder.encode(secret) : secret)
  return async (input) => {
    const algorithm = { name: 'HMAC', hash }
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
    return crypto.subtle.sign('HMAC', key, input)
  }
}

const withEc =
  (key: CryptoKey): Sign =>
  (input) =>
    crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, input)

const unsigned: Sign = async () => new ArrayBuffer(0)

let issuer: CryptoKeyPair
let issuerJwk: JWK
let attacker: CryptoKeyPair
let attackerJwk: JWK
let requests: string[]

beforeAll(async () => {
  issuer = await generateKeyPair('ES256', { extractable: true })
  issuerJwk = { ...(await exportJWK(issuer.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  attacker = await generateKeyPair('ES256', { extractable: true })
  attackerJwk = { ...(await exportJWK(attacker.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
})

beforeEach(() => {
  requests = []
  vi.stubGlobal('fetch', async (url: string) => {
    requests.push(url)
    return Response.json({ keys: [url === KEYS_URL ? issuerJwk : attackerJwk] })
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  // Whatever a token names, keys come from one place.
  expect(requests.filter((url) => url !== KEYS_URL)).toEqual([])
})

const bySecret = tokenVerifier(SECRET_AUTH, now)
const byKeys = () => tokenVerifier(KEYS_AUTH, now)
const byBoth = () => tokenVerifier({ ...KEYS_AUTH, secret: TEST_SECRET }, now)

const outcomesOf = (token: string) =>
  Promise.all([bySecret, byKeys(), byBoth()].map((verify) => refusalOf(verify(token))))

async function assertOpensNothing(token: string | Promise<string>): Promise<void> {
  expect(await outcomesOf(await token)).toEqual([NOT_VALID, NOT_VALID, NOT_VALID])
}

/** Signed with the service's own secret. */
const signed = (claims: unknown, header: object = {}) =>
  forge({ alg: 'HS256', ...header }, claims, withSecret(TEST_SECRET))

describe('genuine tokens, or the rest would prove nothing', () => {
  it('of the secret open what knows the secret', async () => {
    const token = await signed(CLAIMS)
    expect(await outcomesOf(token)).toEqual([ACCEPTED, NOT_VALID, ACCEPTED])
  })

  it('of the issuer open what knows the issuer', async () => {
    const token = await forge({ alg: 'ES256', kid: 'k1' }, CLAIMS, withEc(issuer.privateKey))
    expect(await outcomesOf(token)).toEqual([NOT_VALID, ACCEPTED, ACCEPTED])
    expect(requests).toEqual([KEYS_URL, KEYS_URL])
  })
})

describe('an algorithm', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', 'none ', '', null, 0, [], ['HS256'], {}, undefined])(
    '%j needs no signature and so opens nothing',
    async (alg) => {
      await assertOpensNothing(forge({ alg, typ: 'JWT' }, CLAIMS, unsigned))
    },
  )

  it.each([
    'hs256',
    'HS256 ',
    'HS1',
    'HS384',
    'HS512',
    'A256KW',
    'dir',
    '__proto__',
    'constructor',
  ])('%j is no way to write HS256', async (alg) => {
    const bits = /^HS(384|512)$/.exec(alg)?.[1] ?? '256'
    const sign = withSecret(TEST_SECRET, `SHA-${bits}`)
    await assertOpensNothing(forge({ alg }, CLAIMS, sign))
  })

  it.each(['RS256', 'PS256', 'ES384', 'EdDSA', 'Ed25519', 'ES256K', 'ML-DSA-44'])(
    '%s does not fit a key for ES256',
    async (alg) => {
      const token = await forge({ alg, kid: 'k1' }, CLAIMS, withEc(issuer.privateKey))
      await assertOpensNothing(token)
    },
  )

  it('ES256 does not make a public key of the secret', async () => {
    const token = await forge({ alg: 'ES256', kid: 'k1' }, CLAIMS, withSecret(TEST_SECRET))
    await assertOpensNothing(token)
  })

  const publicKeys: [string, () => Promise<string | Uint8Array>][] = [
    ['PEM', () => exportSPKI(issuer.publicKey)],
    ['PEM without its last line break', async () => (await exportSPKI(issuer.publicKey)).trim()],
    ['DER', async () => new Uint8Array(await crypto.subtle.exportKey('spki', issuer.publicKey))],
    ['raw', async () => new Uint8Array(await crypto.subtle.exportKey('raw', issuer.publicKey))],
    ['JWK', async () => JSON.stringify(issuerJwk)],
    ['JWKS', async () => JSON.stringify({ keys: [issuerJwk] })],
    ['x coordinate', async () => issuerJwk.x!],
  ]
  it.each(publicKeys)('HS256 does not make a secret of the public key as %s', async (_, read) => {
    const sign = withSecret(await read())
    await assertOpensNothing(forge({ alg: 'HS256', kid: 'k1' }, CLAIMS, sign))
  })
})

describe('a secret', () => {
  it.each([
    'secret',
    'undefined',
    'null',
    TEST_SECRET.toUpperCase(),
    TEST_SECRET.slice(0, -1),
    `${TEST_SECRET} `,
    `${TEST_SECRET}\n`,
    // HMAC fills short keys up with zeros: this is the empty secret.
    '\0'.repeat(64),
  ])('guessed as %j signs nothing', async (secret) => {
    await assertOpensNothing(forge({ alg: 'HS256' }, CLAIMS, withSecret(secret)))
  })

  it('that is empty is none', async () => {
    const verify = tokenVerifier({ ...SECRET_AUTH, secret: '' }, now)
    const token = await forge({ alg: 'HS256' }, CLAIMS, withSecret('\0'.repeat(64)))
    expect(await refusalOf(verify(token))).toBe(NOT_VALID)
  })
})

describe('a genuine token', () => {
  const genuine = () => signed(CLAIMS, { typ: 'JWT' })
  const flip = (part: string) => (part.startsWith('A') ? 'B' : 'A') + part.slice(1)

  const changes: [string, (header: string, claims: string, signature: string) => string][] = [
    ['another tenant', (h, _, s) => `${h}.${encode({ ...CLAIMS, tenant: 'globex' })}.${s}`],
    ['one more claim', (h, _, s) => `${h}.${encode({ ...CLAIMS, scope: 'execute' })}.${s}`],
    [
      'its claims spelled differently',
      (h, _, s) => `${h}.${encode(`${JSON.stringify(CLAIMS)} `)}.${s}`,
    ],
    ['another header', (_, c, s) => `${encode({ alg: 'HS256' })}.${c}.${s}`],
    ['alg none', (_, c, s) => `${encode({ alg: 'none' })}.${c}.${s}`],
    ['a changed signature', (h, c, s) => `${h}.${c}.${flip(s)}`],
    ['half a signature', (h, c, s) => `${h}.${c}.${s.slice(0, 22)}`],
    ['a longer signature', (h, c, s) => `${h}.${c}.${s}AAAA`],
    ['an empty signature', (h, c) => `${h}.${c}.`],
    ['no signature', (h, c) => `${h}.${c}`],
    ['no claims', (h, _, s) => `${h}..${s}`],
    ['no header', (_, c, s) => `.${c}.${s}`],
    ['only dots', () => '..'],
    ['a fourth part', (h, c, s) => `${h}.${c}.${s}.${s}`],
    ['its claims twice', (h, c, s) => `${h}.${c}.${c}.${s}`],
    ['its parts turned round', (h, c, s) => `${s}.${c}.${h}`],
    ['a zero byte', (h, c, s) => `${h}.${c}\0.${s}`],
    ['a zero-width space', (h, c, s) => `${h}\u200b.${c}.${s}`],
    ['a full-width dot', (h, c, s) => `${h}\uff0e${c}\uff0e${s}`],
    ['letters that look the same', (h, c, s) => `${h.replace('e', '\u0435')}.${c}.${s}`],
    ['half a surrogate pair', (h, c, s) => `${h}.${c}.${s}\ud800`],
    ['quotes', (h, c, s) => `"${h}.${c}.${s}"`],
  ]
  it.each(changes)('with %s opens nothing', async (_, change) => {
    const [header, claims, signature] = (await genuine()).split('.') as [string, string, string]
    expect(await refusalOf(bySecret(`${header}.${claims}.${signature}`))).toBe(ACCEPTED)
    await assertOpensNothing(change(header, claims, signature))
  })

  it('as the claims of another opens nothing', async () => {
    await assertOpensNothing(forge({ alg: 'none', cty: 'JWT' }, await genuine(), unsigned))
    await assertOpensNothing(signed(await genuine(), { cty: 'JWT' }))
  })

  it('that is longer than any header opens nothing', async () => {
    const claims = { ...CLAIMS, filler: 'x'.repeat(16_384) }
    await assertOpensNothing(signed(claims))
  })
})

describe('a header', () => {
  const attackers: [string, () => Record<string, unknown>][] = [
    ['no key of its own', () => ({})],
    ['jwk', () => ({ jwk: attackerJwk })],
    ['jku', () => ({ jku: 'https://evil.example.com/keys' })],
    ['x5u', () => ({ x5u: 'https://evil.example.com/cert.pem' })],
    ['x5c', () => ({ x5c: ['MIIB'], x5t: 'AAAA' })],
    ['kid that is a URL', () => ({ kid: 'https://evil.example.com/keys' })],
    ['kid that is a path', () => ({ kid: '../../../dev/null' })],
    ['kid that is a query', () => ({ kid: "' OR 1=1 --" })],
    ['kid of another type', () => ({ kid: ['k1'] })],
    ['kid of nobody', () => ({ kid: 'k2' })],
    ['iss', () => ({ iss: 'https://evil.example.com' })],
  ]
  it.each(attackers)('with %s brings no key along', async (_, extra) => {
    const header = { alg: 'ES256', kid: 'k1', ...extra() }
    await assertOpensNothing(forge(header, CLAIMS, withEc(attacker.privateKey)))
    const symmetric = { ...header, alg: 'HS256', jwk: { kty: 'oct', k: encode('attacker') } }
    await assertOpensNothing(forge(symmetric, CLAIMS, withSecret('attacker')))
  })

  it.each([
    { crit: ['exp'] },
    { crit: ['x'], x: 1 },
    { crit: [] },
    { crit: 'exp' },
    { crit: ['b64'], b64: 'false' },
    { crit: ['b64'], b64: false },
  ])('of %j asks for what is not understood, and is refused even if signed', async (extra) => {
    await assertOpensNothing(signed(CLAIMS, extra))
  })

  it('cannot switch the encoding of claims off', async () => {
    const input = `${encode({ alg: 'HS256', b64: false, crit: ['b64'] })}.${JSON.stringify(CLAIMS)}`
    const signature = await withSecret(TEST_SECRET)(encoder.encode(input))
    const token = `${input}.${base64url.encode(new Uint8Array(signature))}`
    await assertOpensNothing(token)
  })

  it.each(['', '{', '[]', 'null', '"HS256"', '{"alg":"HS256"', '\ufeff{"alg":"HS256"}x', '\xff'])(
    'of %j is none',
    async (header) => {
      await assertOpensNothing(forge(header, CLAIMS, withSecret(TEST_SECRET)))
    },
  )
})

describe('claims, though signed,', () => {
  it.each([
    ['"9999999999"', NO_EXPIRY],
    ['null', NO_EXPIRY],
    ['true', NO_EXPIRY],
    ['[9999999999]', NO_EXPIRY],
    ['{}', NO_EXPIRY],
    ['NaN', NOT_VALID],
    ['Infinity', NOT_VALID],
    ['1e999', NOT_VALID],
    ['1e300', NOT_VALID],
    ['8640000000001', NOT_VALID],
    ['0', EXPIRED],
    ['-1', EXPIRED],
    ['-1e999', EXPIRED],
    [`${NOW_S}`, EXPIRED],
  ])('do not last with "exp": %s', async (exp, outcome) => {
    const claims = JSON.stringify({ ...CLAIMS, exp: undefined }).replace('}', `,"exp":${exp}}`)
    expect(await refusalOf(bySecret(await signed(claims)))).toBe(outcome)
  })

  it.each(['"0"', 'null', '1e999', `${NOW_S + 1}`])(
    'have not begun with "nbf": %s',
    async (nbf) => {
      const claims = JSON.stringify(CLAIMS).replace('}', `,"nbf":${nbf}}`)
      expect(await refusalOf(bySecret(await signed(claims)))).toBe(
        'unauthenticated: The token is not valid yet.',
      )
    },
  )

  it.each(['', '[]', 'null', '"acme"', '{"tenant":"acme"', '\0'])('are not %j', async (claims) => {
    expect(await refusalOf(bySecret(await signed(claims)))).toBe(NOT_VALID)
  })

  it.each([
    '{ "__proto__": { "tenant": "acme" }, "exp": 9999999999 }',
    '{ "constructor": { "prototype": { "tenant": "acme" } }, "exp": 9999999999 }',
  ])('inherit no tenant: %s', async (claims) => {
    expect(await refusalOf(bySecret(await signed(claims)))).toBe(
      'forbidden: The token names no tenant.',
    )
  })

  it.each([
    [{ iss: 'https://evil.example.com' }, 'unauthenticated: The token comes from another issuer.'],
    [{ iss: [ISSUED.iss] }, 'unauthenticated: The token comes from another issuer.'],
    [{ iss: undefined }, 'unauthenticated: The token comes from another issuer.'],
    [{ aud: 'other' }, 'unauthenticated: The token is meant for another service.'],
    [{ aud: { moonbucket: true } }, 'unauthenticated: The token is meant for another service.'],
    [{ aud: undefined }, 'unauthenticated: The token is meant for another service.'],
    [{ exp: NOW_S - 1 }, EXPIRED],
  ])('are not for this service with %j, whatever key signed them', async (claims, outcome) => {
    const all = { ...CLAIMS, ...claims }
    const byIssuer = await forge({ alg: 'ES256', kid: 'k1' }, all, withEc(issuer.privateKey))
    expect(await refusalOf(byKeys()(byIssuer))).toBe(outcome)
    expect(await refusalOf(byBoth()(await signed(all)))).toBe(outcome)
  })
})

it.each(['dir', 'A256KW'])(
  'an encrypted token (%s) under the secret opens nothing',
  async (alg) => {
    const key = encoder.encode(TEST_SECRET).slice(0, 32)
    const token = await new CompactEncrypt(encoder.encode(JSON.stringify(CLAIMS)))
      .setProtectedHeader({ alg, enc: 'A256GCM' })
      .encrypt(key)
    expect(token.split('.')).toHaveLength(5)
    await assertOpensNothing(token)
  },
)

describe('an API key', () => {
  const KEY = 'mb_Key-of-Acme'
  let hash: string
  let verify: VerifyToken

  beforeAll(async () => {
    hash = await sha256Hex(KEY)
    const apiKeys = new Map([
      [hash, { tenant: 'acme', user: 'alice' }],
      [await sha256Hex('mb_Key-of-Globex'), { tenant: 'globex', user: 'alice' }],
    ])
    verify = tokenVerifier({ ...SECRET_AUTH, apiKeys }, now)
  })

  it('opens its own tenant only', async () => {
    const own = { tenant: 'acme', user: 'alice', isCompanion: false, apiKey: hash }
    expect(await verify(KEY)).toEqual({ ...own, scopes: new Set(SCOPES) })
    expect(await verify('mb_Key-of-Globex')).toMatchObject({ tenant: 'globex' })
  })

  const guesses: [string, () => string | Promise<string>][] = [
    ['its hash', () => hash],
    ['its hash in capitals', () => hash.toUpperCase()],
    ['the hash of its hash', () => sha256Hex(hash)],
    ['nothing', () => ''],
    ['its beginning', () => KEY.slice(0, -1)],
    ['more than itself', () => `${KEY}0`],
    ['a space after it', () => `${KEY} `],
    ['a line break after it', () => `${KEY}\n`],
    ['a zero byte after it', () => `${KEY}\0`],
    ['small letters', () => KEY.toLowerCase()],
    ['the name of a method', () => 'constructor'],
    ['a pattern', () => 'mb_*'],
    ['two keys', () => `${KEY},${KEY}`],
    ['full-width letters', () => KEY.replace('K', '\uff2b')],
  ]
  it.each(guesses)('is not given by %s', async (_, guess) => {
    expect(await refusalOf(verify(await guess()))).toBe(NOT_VALID)
  })

  it('is no secret for a JWT, nor is its hash', async () => {
    for (const secret of [KEY, hash]) {
      const token = await signToken(CLAIMS, { now: NOW, secret })
      expect(await refusalOf(verify(token))).toBe(NOT_VALID)
    }
  })
})
