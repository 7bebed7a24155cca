/**
 * Everything that sign-in hands out is an encrypted JWT: clients learn neither the tenant nor
 * anything about the key behind it, and nothing needs to be stored. Each purpose has a key and a
 * type of its own, so that none passes for another.
 */
import { EncryptJWT, errors, jwtDecrypt, type JWTDecryptResult } from 'jose'
import { AppError } from '../../errors.ts'
import { toHex } from '../../lib/encode.ts'
import type { SignInContext } from '../sign-in-context.ts'

const TYPES = {
  access: 'at+jwt',
  /** A registration, which is the client's id. */
  client: 'client+jwt',
  code: 'code+jwt',
  /** The consent form: against requests that other sites send. */
  consent: 'consent+jwt',
  /** A sign-in that goes on at the issuer. */
  handover: 'handover+jwt',
  refresh: 'refresh+jwt',
} as const

export type Purpose = keyof typeof TYPES

type Sealing = Pick<SignInContext, 'signIn' | 'baseUrl'> & {
  readonly service: Pick<SignInContext['service'], 'now'>
}

interface SealOptions {
  /** Absent for what never expires. */
  readonly ttlS?: number
  /** By default the service itself. */
  readonly audience?: string
}

interface SealKey {
  /** Tells which secret it is of. */
  readonly id: string
  readonly key: CryptoKey
}

const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const
const KEY_BYTES = 32
const ID_BYTES = 8
/** Longer than any of them: not worth decrypting. */
const MAX_LENGTH = 8_192

// Keys, not promises: a Worker request must not await another request's promise.
const keys = new Map<string, SealKey>()

export async function seal(
  { signIn, baseUrl, service }: Sealing,
  purpose: Purpose,
  claims: Readonly<Record<string, unknown>>,
  { ttlS, audience = baseUrl }: SealOptions = {},
): Promise<string> {
  const { id: kid, key } = await keyFor(signIn.secrets[0]!, purpose)
  const now = Math.floor(service.now().getTime() / 1000)
  const token = new EncryptJWT({ ...claims })
    .setProtectedHeader({ ...ENCRYPTION, typ: TYPES[purpose], kid })
    .setIssuer(baseUrl)
    .setAudience(audience)
    .setIssuedAt(now)
  if (ttlS !== undefined) token.setExpirationTime(now + ttlS)
  return token.encrypt(key)
}

/** @throws {AppError} `unauthenticated` unless this service sealed it for this purpose. */
export async function unseal<Claims>(
  { signIn, baseUrl, service }: Sealing,
  purpose: Purpose,
  token: string,
  audience = baseUrl,
): Promise<Claims & { readonly iat: number; readonly exp?: number }> {
  if (token.length > MAX_LENGTH) throw notValid()
  const all = await Promise.all(signIn.secrets.map((secret) => keyFor(secret, purpose)))
  const find = (header: { kid?: string }) => {
    const found = all.find(({ id }) => id === header.kid)
    if (!found) throw notValid()
    return found.key
  }
  try {
    const { payload }: JWTDecryptResult = await jwtDecrypt(token, find, {
      keyManagementAlgorithms: [ENCRYPTION.alg],
      contentEncryptionAlgorithms: [ENCRYPTION.enc],
      typ: TYPES[purpose],
      issuer: baseUrl,
      audience,
      requiredClaims: purpose === 'client' ? ['iat'] : ['iat', 'exp'],
      currentDate: service.now(),
    })
    return payload as Claims & { iat: number; exp?: number }
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) {
    return new AppError('unauthenticated', 'The token has expired.', { cause: error })
  }
  const isForElsewhere =
    error instanceof errors.JWTClaimValidationFailed && ['aud', 'iss'].includes(error.claim)
  if (isForElsewhere) {
    return new AppError('unauthenticated', 'The token is meant for another service.')
  }
  return error instanceof errors.JOSEError ? notValid(error) : error
}

function notValid(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'The token is not valid.', { cause })
}

async function keyFor(secret: string, purpose: Purpose): Promise<SealKey> {
  const name = `${purpose} ${secret}`
  const known = keys.get(name)
  if (known) return known
  const text = new TextEncoder()
  const root = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, [
    'deriveBits',
  ])
  const info = text.encode(`moonbucket sign-in ${purpose}`)
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  const bytes = new Uint8Array(
    await crypto.subtle.deriveBits(hkdf, root, (KEY_BYTES + ID_BYTES) * 8),
  )
  const key = await crypto.subtle.importKey('raw', bytes.slice(0, KEY_BYTES), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  const made = { id: toHex(bytes.slice(KEY_BYTES)), key }
  keys.set(name, made)
  return made
}
