/**
 * Short-link tokens: area, expiry and issue time, signed with the link's purpose and path.
 *
 * Layout in bytes: signature (16), expiry (4), issue time (4), tenant length (1, or 2 from 128 on),
 * tenant, user, format (1); 70 characters if tenant and user total 26 bytes. Terms, if any, follow
 * the issue time, prefixed by their length (1); a pinned version adds 12 characters. Tokens of
 * earlier releases have no issue time.
 */
import { AppError } from '../errors.ts'
import type { AreaOwner } from '../files/store/area.ts'
import type { FolderPath } from '../files/path.ts'
import { fromBase64url, toBase64url } from '../lib/encode.ts'
import { hmacKey } from '../lib/crypto.ts'

/**
 * Open the file, list the folder, upload the file, or upload files into the folder. Signed, so that
 * a file's link cannot list a folder that later takes its name, nor vice versa.
 */
export type LinkPurpose = 'get' | 'list' | 'put' | 'drop'

/** What the holder of a link may do, as whom, and until when. */
export interface LinkClaims {
  readonly purpose: LinkPurpose
  readonly owner: AreaOwner
  readonly path: FolderPath
  /** Fractions of a second are dropped. */
  readonly expiresAt: Date
  /** The epoch for tokens without an issue time. */
  readonly issuedAt: Date
  /**
   * At most 255 bytes, opaque here. For `put` and `drop`, the terms of the upload; for `get`, the
   * id of the only write whose content the link opens.
   */
  readonly terms?: Uint8Array | undefined
}

/** What the token contains; purpose and path are in the URL. */
type TokenClaims = Omit<LinkClaims, 'purpose' | 'path'>

interface Layout {
  readonly format: number
  readonly isTimed: boolean
  readonly hasTerms: boolean
}

/** Domain separation from anything else signed with the same secret. */
const DOMAIN = 'moonbucket link'

// The format comes last because linkifiers drop a trailing `_` or `-`, and with these values tokens
// never end in one. A new format needs new values.
const LAYOUTS: readonly Layout[] = [
  { format: 0x10, isTimed: false, hasTerms: false },
  { format: 0x20, isTimed: false, hasTerms: true },
  { format: 0x40, isTimed: true, hasTerms: false },
  { format: 0x50, isTimed: true, hasTerms: true },
]
/** The index is added to the format. */
const KINDS = ['user', 'companion', 'default'] as const

const MAX_NAME_BYTES = 1024
const MAX_TERMS_BYTES = 255
const MAX_SECONDS = 0xffff_ffff
const SECONDS_BYTES = 4
const SIGNATURE_BYTES = 16
/** Of each signed field. */
const LENGTH_BYTES = 4

const encoder = new TextEncoder()
// A byte order mark is part of a name: dropping it would merge two tenants.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Signs with the first secret. Tenant and user are validated: UTF-8 encodes them losslessly. */
export async function signLink(secrets: readonly string[], claims: LinkClaims): Promise<string> {
  const [secret] = secrets
  if (!secret) throw new Error('there is no secret to sign links with')
  const body = writeBody(claims)
  const signature = await signFields(secret, signedFields(claims, body))
  return toBase64url(Uint8Array.from([...signature, ...body]))
}

/**
 * Any of the secrets may have signed it.
 *
 * @throws {AppError} `forbidden` if it has expired, or is not a link for this purpose and path.
 */
export async function verifyLink(
  secrets: readonly string[],
  token: string,
  expected: Pick<LinkClaims, 'purpose' | 'path'>,
  now: Date,
): Promise<TokenClaims> {
  const bytes = fromBase64url(token) ?? new Uint8Array()
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const body = bytes.subarray(SIGNATURE_BYTES)
  // Verify first: nothing in a forged token can be trusted, not even its expiry.
  const isOurs = await isSigned(secrets, signedFields(expected, body), signature)
  const claims = isOurs ? readBody(body) : null
  if (!claims) throw new AppError('forbidden', 'This link is not valid.')
  if (now.getTime() < claims.expiresAt.getTime()) return claims
  throw new AppError('forbidden', 'This link has expired.')
}

function signedFields(
  { purpose, path }: Pick<LinkClaims, 'purpose' | 'path'>,
  body: Uint8Array,
): Uint8Array[] {
  return [encoder.encode(DOMAIN), encoder.encode(purpose), body, encoder.encode(path)]
}

function writeBody({ owner, expiresAt, issuedAt, terms }: LinkClaims): Uint8Array {
  const tenant = nameBytes(owner.tenant)
  const user = nameBytes(owner.kind === 'user' ? owner.user : '')
  const length = tenant.length
  const { format } = LAYOUTS.find(({ isTimed, hasTerms }) => isTimed && hasTerms === !!terms)!
  return Uint8Array.from([
    ...secondsOf(expiresAt),
    ...secondsOf(issuedAt),
    ...(terms ? withLength(terms) : []),
    ...(length < 0x80 ? [length] : [0x80 | (length >> 8), length & 0xff]),
    ...tenant,
    ...user,
    format + KINDS.indexOf(owner.kind),
  ])
}

function secondsOf(date: Date): Uint8Array {
  const seconds = Math.floor(date.getTime() / 1000)
  const bytes = new Uint8Array(SECONDS_BYTES)
  new DataView(bytes.buffer).setUint32(0, Math.min(Math.max(seconds, 0), MAX_SECONDS))
  return bytes
}

function withLength(terms: Uint8Array): number[] {
  if (terms.length > MAX_TERMS_BYTES) throw new RangeError('the terms are too long for a link')
  return [terms.length, ...terms]
}

function nameBytes(name: string): Uint8Array {
  const bytes = encoder.encode(name)
  if (bytes.length > MAX_NAME_BYTES) throw new RangeError('a name is too long for a link')
  return bytes
}

/** Only for verified bytes; `null` for an unknown format. */
function readBody(body: Uint8Array): TokenClaims | null {
  const last = body.at(-1)!
  const kind = KINDS[last & 0x0f]
  const layout = LAYOUTS.find(({ format }) => format === (last & 0xf0))
  if (!kind || !layout) return null
  const { isTimed, hasTerms } = layout
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const expiresAt = new Date(view.getUint32(0) * 1000)
  const issuedAt = new Date(isTimed ? view.getUint32(SECONDS_BYTES) * 1000 : 0)
  const timesEnd = (isTimed ? 2 : 1) * SECONDS_BYTES
  const termsEnd = timesEnd + (hasTerms ? 1 + view.getUint8(timesEnd) : 0)
  const terms = hasTerms ? body.slice(timesEnd + 1, termsEnd) : undefined
  return { owner: readOwner(kind, body.subarray(termsEnd, -1)), expiresAt, issuedAt, terms }
}

function readOwner(kind: AreaOwner['kind'], bytes: Uint8Array): AreaOwner {
  const isShort = bytes[0]! < 0x80
  const length = isShort ? bytes[0]! : ((bytes[0]! & 0x7f) << 8) | bytes[1]!
  const names = bytes.subarray(isShort ? 1 : 2)
  const tenant = decoder.decode(names.subarray(0, length))
  return { tenant, kind, user: decoder.decode(names.subarray(length)) }
}

/**
 * HMAC-SHA-256, truncated to 128 bits. Fields are length-prefixed: moving bytes between them
 * changes the signature.
 */
export async function signFields(
  secret: string,
  fields: readonly Uint8Array[],
): Promise<Uint8Array> {
  const full = await crypto.subtle.sign('HMAC', await hmacKey(secret), joinFields(fields))
  return new Uint8Array(full, 0, SIGNATURE_BYTES)
}

/** Whether any of the secrets signed the fields; compares in constant time. */
export async function isSigned(
  secrets: readonly string[],
  fields: readonly Uint8Array[],
  signature: Uint8Array,
): Promise<boolean> {
  const valid = await Promise.all(secrets.map((secret) => signFields(secret, fields)))
  return valid.map((bytes) => isSame(bytes, signature)).includes(true)
}

function joinFields(fields: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = fields.reduce((sum, field) => sum + LENGTH_BYTES + field.length, 0)
  const joined = new Uint8Array(total)
  const view = new DataView(joined.buffer)
  let at = 0
  for (const field of fields) {
    view.setUint32(at, field.length)
    joined.set(field, at + LENGTH_BYTES)
    at += LENGTH_BYTES + field.length
  }
  return joined
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (const [i, byte] of a.entries()) difference |= byte ^ b[i]!
  return difference === 0
}
