/** Changed, recombined and invented tokens and links: none grants more than it was made for. */
import fc from 'fast-check'
import { base64url } from 'jose'
import { tokenVerifier } from '../../src/auth/verify-token.ts'
import { AppError } from '../../src/errors.ts'
import { parsePath } from '../../src/files/path.ts'
import { signLink, verifyLink, type LinkClaims } from '../../src/links/link-token.ts'
import { NOW, NOW_S, SECRET_AUTH } from '../auth/harness.ts'
import { signToken } from '../support/sign-token.ts'
import { promise, promiseSame, propertyTarget } from './target.ts'

const SECRETS = ['signs the links of this test', 'signed them before']
const verifyToken = tokenVerifier(SECRET_AUTH, () => NOW)

/** One change to a text; what it comes to may be the text itself. */
const change = fc.oneof(
  fc.record({ at: fc.nat(400), put: fc.constantFrom('A', 'B', '-', '_', '.', '=', 'é', '') }),
  fc.record({ at: fc.nat(400), put: fc.string({ maxLength: 3 }) }),
  fc.record({ at: fc.nat(400), cut: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ at: fc.nat(400), swap: fc.nat(400) }),
)
type Change = { at: number; put?: string; cut?: number; swap?: number }

function changed(text: string, { at, put, cut, swap }: Change): string {
  const i = at % (text.length + 1)
  if (cut !== undefined) return text.slice(0, i) + text.slice(i + cut)
  if (put !== undefined) return text.slice(0, i) + put + text.slice(i + put.length)
  const j = swap! % (text.length + 1)
  const [low, high] = [Math.min(i, j), Math.max(i, j)]
  return text.slice(0, low) + text.slice(high) + text.slice(low, high)
}

const part = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{"alg":"none"}',
    '{"alg":"HS256"}',
    '{"alg":"HS256","b64":false,"crit":["b64"]}',
  ),
  fc
    .record({ tenant: fc.string(), sub: fc.string(), exp: fc.integer() })
    .map((one) => JSON.stringify(one)),
)
const madeUp = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc
    .tuple(part, part, fc.uint8Array({ maxLength: 40 }))
    .map(([header, claims, signature]) =>
      [header, claims, signature].map((one) => base64url.encode(one)).join('.'),
    ),
)
const tenant = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })

async function refused(work: Promise<unknown>, codes: readonly string[]): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    promise(error instanceof AppError && codes.includes(error.code), () => `threw ${String(error)}`)
    return undefined
  }
}

/** The last character of a signature holds two bits that mean nothing: other tokens may mean the same. */
function meansSame(token: string, other: string): boolean {
  const [cut, otherCut] = [token.lastIndexOf('.'), other.lastIndexOf('.')]
  if (token.slice(0, cut) !== other.slice(0, otherCut)) return false
  const [a, b] = [token.slice(cut + 1), other.slice(otherCut + 1)].map(lenientBytes)
  return a === b
}

const lenientBytes = (text: string) => String(Uint8Array.from(base64url.decode(text)))

export const jwts = propertyTarget(
  { shortRuns: 500, longRuns: 200_000 },
  fc.asyncProperty(
    tenant,
    fc.array(change, { minLength: 1, maxLength: 3 }),
    madeUp,
    async (name, changes, forged) => {
      const genuine = await signToken({ tenant: 'acme', sub: name }, { ttlS: 60, now: NOW })
      promise((await verifyToken(genuine)).tenant === 'acme', () => 'a genuine token is refused')
      const caller = await refused(verifyToken(forged), ['unauthenticated'])
      promise(caller === undefined, () => `accepted, although made up: ${forged}`)
      const other = changes.reduce(changed, genuine)
      if (other === genuine) return
      const found = await refused(verifyToken(other), ['unauthenticated'])
      if (found !== undefined) promise(meansSame(genuine, other), () => `accepted: ${other}`)
    },
  ),
)

const link: fc.Arbitrary<LinkClaims> = fc.record({
  purpose: fc.constantFrom('get' as const, 'list' as const, 'put' as const),
  owner: fc.oneof(
    fc.record({ tenant, kind: fc.constant('user' as const), user: tenant }),
    fc.record({
      tenant,
      kind: fc.constantFrom('companion' as const, 'default' as const),
      user: fc.constant(''),
    }),
  ),
  path: fc.constantFrom('a', 'a/b', 'é', 'share/x').map((text) => parsePath(text)),
  expiresAt: fc.integer({ min: -5, max: 86_400 }).map((s) => new Date((NOW_S + s) * 1000)),
  issuedAt: fc.integer({ min: -86_400, max: 0 }).map((s) => new Date((NOW_S + s) * 1000)),
  terms: fc.option(fc.uint8Array({ maxLength: 255 }), { nil: undefined }),
})

export const links = propertyTarget(
  { shortRuns: 500, longRuns: 200_000 },
  fc.asyncProperty(
    link,
    link,
    fc.array(change, { minLength: 1, maxLength: 3 }),
    async (made, asked, changes) => {
      const token = await signLink(SECRETS, made)
      const verify = (text: string, { purpose, path }: LinkClaims, secrets = SECRETS) =>
        refused(verifyLink(secrets, text, { purpose, path }, NOW), ['forbidden'])

      const { owner, expiresAt, issuedAt, terms } = made
      const isAlive = expiresAt > NOW
      const expected = isAlive ? { owner, expiresAt, issuedAt, terms } : undefined
      promiseSame(await verify(token, made), expected, 'its own link')
      promiseSame(await verify(token, made, SECRETS.toReversed()), expected, 'after a rotation')
      promiseSame(await verify(token, made, ['another']), undefined, 'with another secret')
      const isFor = asked.purpose === made.purpose && asked.path === made.path
      promiseSame(await verify(token, asked), isFor ? expected : undefined, 'for something else')
      const other = changes.reduce(changed, token)
      if (other !== token) promiseSame(await verify(other, made), undefined, `changed: ${other}`)
    },
  ),
)
