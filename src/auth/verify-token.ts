/** Verifies a bearer token, a JWT or an API key. */
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { Caller } from '../caller.ts'
import type { AuthConfig } from '../config.ts'
import { AppError } from '../errors.ts'
import { hmacKey, sha256Hex } from '../lib/crypto.ts'
import { configuredKeys, type FindApiKey } from '../operations/keys/find-api-key.ts'
import { isIssuedKey } from '../operations/keys/key-record.ts'
import type { ApiKeyOwner } from '../settings.ts'
import { callerOfClaims } from './caller-of-claims.ts'
import { remoteKeys } from './remote-keys.ts'

/**
 * Throws {@link AppError}: `unauthenticated`, `forbidden`, `keys_unavailable` or
 * `storage_unavailable`.
 *
 * @param request Says at which address the service was called: tokens of sign-in are for one.
 */
export type VerifyToken = (token: string, request?: Request) => Promise<Caller>

/** For tokens that this service issued itself. */
export type VerifyOwnToken = (token: string, request: Request) => Promise<Caller>

const SYMMETRIC = 'HS256'
export const ASYMMETRIC =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
/** Node's limit for all headers together; longer tokens are not worth hashing. */
const MAX_TOKEN_LENGTH = 16_384

/** jose's errors about the token itself; any others are not the caller's fault. */
const TOKEN_FAULTS = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSMultipleMatchingKeys,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
]

/** Reported only after the signature is verified, so a forger learns nothing. */
const CLAIM_FAULTS = new Map([
  ['aud', 'The token is meant for another service.'],
  ['exp', 'The token has no expiry.'],
  ['iss', 'The token comes from another issuer.'],
  ['nbf', 'The token is not valid yet.'],
])

export interface TokenSources {
  /** Finds the keys that the service made, too; by default there are none. */
  readonly findIssued?: FindApiKey | undefined
  /** Where the service issues tokens itself. */
  readonly verifyOwn?: VerifyOwnToken | undefined
}

/** Built once per process; keys are loaded on first use. */
export function tokenVerifier(
  auth: AuthConfig,
  now: () => Date,
  { findIssued = configuredKeys(auth.apiKeys), verifyOwn }: TokenSources = {},
): VerifyToken {
  const findConfigured = configuredKeys(auth.apiKeys)
  const keys = keysByAlgorithm(auth, now)
  const findKey: JWTVerifyGetKey = (header, token) => keys.get(header.alg)!(header, token)
  const rules = {
    algorithms: [...keys.keys()],
    requiredClaims: ['exp'],
    ...(auth.issuer !== undefined && { issuer: auth.issuer }),
    ...(auth.audience !== undefined && { audience: auth.audience }),
  }

  return async function verifyToken(token, request) {
    if (token.length > MAX_TOKEN_LENGTH) throw notValid()
    // API keys first: they may look like a JWT.
    const isIssued = isIssuedKey(token)
    if (isIssued || auth.apiKeys.size > 0) {
      const apiKey = await sha256Hex(new TextEncoder().encode(token))
      // Other tokens must not cost a request to the store.
      const owner = await (isIssued ? findIssued : findConfigured)(apiKey)
      if (owner) return { ...callerOfApiKey(owner, auth), apiKey }
    }
    if (verifyOwn && request && isEncrypted(token)) return verifyOwn(token, request)
    try {
      const { payload } = await jwtVerify(token, findKey, { ...rules, currentDate: now() })
      assertExpiryIsDate(payload)
      return callerOfClaims(payload, auth)
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** The map is both the allow-list and the key lookup, so no key meets another's algorithm. */
function keysByAlgorithm(auth: AuthConfig, now: () => Date): Map<string, JWTVerifyGetKey> {
  const keys = new Map<string, JWTVerifyGetKey>()
  const { secret } = auth
  if (secret) keys.set(SYMMETRIC, () => hmacKey(secret))
  if (auth.jwksUrl) {
    const findKey = remoteKeys(auth.jwksUrl, now)
    for (const algorithm of ASYMMETRIC) keys.set(algorithm, findKey)
  }
  return keys
}

/** Of five parts, unlike a signed token. */
function isEncrypted(token: string): boolean {
  return token.split('.').length === 5
}

export function callerOfApiKey(owner: ApiKeyOwner, { defaultScopes }: AuthConfig): Caller {
  const { tenant, user, scopes, paths, quotas } = owner
  // Not the configured claim name: it might be `sub`.
  const rules = { tenantClaim: 'tenant', defaultScopes }
  return { ...callerOfClaims({ tenant, sub: user, scope: scopes, paths }, rules), quotas }
}

/** `1e999` parses as infinity: a token that never expires. */
function assertExpiryIsDate({ exp }: JWTPayload): void {
  if (Number.isNaN(new Date(exp! * 1000).getTime())) throw notValid()
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) {
    return new AppError('unauthenticated', 'The token has expired.', { cause: error })
  }
  if (error instanceof errors.JWTClaimValidationFailed && CLAIM_FAULTS.has(error.claim)) {
    return new AppError('unauthenticated', CLAIM_FAULTS.get(error.claim)!, { cause: error })
  }
  return TOKEN_FAULTS.some((fault) => error instanceof fault) ? notValid(error) : error
}

function notValid(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'The token is not valid.', { cause })
}
