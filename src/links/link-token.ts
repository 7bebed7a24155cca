/**
 * The token of a short link: area and expiry, signed together with the link's purpose and path.
 *
 * Its bytes: signature (16), expiry (4), length of the tenant (1, or 2 from 128 on), tenant, user,
 * format (1). So it has 64 characters when tenant and user together have 26. A token with terms has
 * their length (1) and themselves behind the expiry.
 */
import { AppError } from '../errors.ts'
import type { AreaOwner } from '../files/area.ts'
import type { FolderPath } from '../files/path.ts'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { isSigned, SIGNATURE_BYTES, signFields } from './link-signature.ts'

/**
 * What a link lets its holder do with its path: open the file, list the folder, or upload the file.
 * So the link of a file never lists a folder that later has its name, nor the other way round.
 */
export type LinkPurpose = 'get' | 'list' | 'put'

/** What the holder of a link may do, as whom, and until when. */
export interface LinkClaims {
  readonly purpose: LinkPurpose
  readonly owner: AreaOwner
  readonly path: FolderPath
  /** Fractions of a second are dropped. */
  readonly expiresAt: Date
  /** What else its maker laid down, at most 255 bytes; opaque here. */
  readonly terms?: Uint8Array | undefined
}

/** What a token itself says; purpose and path are in the address that holds it. */
export type TokenClaims = Omit<LinkClaims, 'purpose' | 'path'>

/** Keeps these signatures apart from whatever else the same secret may ever sign. */
const DOMAIN = 'moonbucket link'

// The format is the last byte because clients that make addresses clickable leave a `_` or `-` at
// their end out; with these values neither ever comes last. A new format takes other values.
const FORMATS = { user: 0x10, companion: 0x11, default: 0x12 } as const
/** Added to the format of a token that has terms. */
const WITH_TERMS = 0x10
const KINDS = ['user', 'companion', 'default'] as const

const MAX_NAME_BYTES = 1024
const MAX_TERMS_BYTES = 255
const MAX_SECONDS = 0xffff_ffff
const EXPIRY_BYTES = 4

const encoder = new TextEncoder()
// A byte order mark is part of a name: dropping it would make one tenant of two.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Signs with the first secret. Tenant and user are checked names: UTF-8 can hold them. */
export async function signLink(secrets: readonly string[], claims: LinkClaims): Promise<string> {
  const [secret] = secrets
  if (!secret) throw new Error('there is no secret to sign links with')
  const body = writeBody(claims)
  const signature = await signFields(secret, signedFields(claims, body))
  return encodeBase64url(Uint8Array.from([...signature, ...body]))
}

/**
 * Tells whose link it is; any of the secrets may have signed it.
 *
 * @throws {AppError} `forbidden` when it has expired, or is not a link for this purpose and path.
 */
export async function verifyLink(
  secrets: readonly string[],
  token: string,
  expected: Pick<LinkClaims, 'purpose' | 'path'>,
  now: Date,
): Promise<TokenClaims> {
  const bytes = decodeBase64url(token) ?? new Uint8Array()
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const body = bytes.subarray(SIGNATURE_BYTES)
  // First of all: what a forged token says, its expiry included, is worth nothing.
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

function writeBody({ owner, expiresAt, terms }: LinkClaims): Uint8Array {
  const tenant = nameBytes(owner.tenant)
  const user = nameBytes(owner.kind === 'user' ? owner.user : '')
  const length = tenant.length
  return Uint8Array.from([
    ...secondsOf(expiresAt),
    ...(terms ? withLength(terms) : []),
    ...(length < 0x80 ? [length] : [0x80 | (length >> 8), length & 0xff]),
    ...tenant,
    ...user,
    FORMATS[owner.kind] + (terms ? WITH_TERMS : 0),
  ])
}

function secondsOf(date: Date): Uint8Array {
  const seconds = Math.floor(date.getTime() / 1000)
  const bytes = new Uint8Array(EXPIRY_BYTES)
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

/** Only for bytes whose signature holds; gives `null` for a format of another version. */
function readBody(body: Uint8Array): TokenClaims | null {
  const format = body.at(-1)
  const hasTerms = KINDS.some((name) => FORMATS[name] + WITH_TERMS === format)
  const kind = KINDS.find((name) => FORMATS[name] + (hasTerms ? WITH_TERMS : 0) === format)
  if (!kind) return null
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const expiresAt = new Date(view.getUint32(0) * 1000)
  const termsEnd = EXPIRY_BYTES + (hasTerms ? 1 + view.getUint8(EXPIRY_BYTES) : 0)
  const terms = hasTerms ? body.slice(EXPIRY_BYTES + 1, termsEnd) : undefined
  return { owner: readOwner(kind, body.subarray(termsEnd, -1)), expiresAt, terms }
}

function readOwner(kind: AreaOwner['kind'], bytes: Uint8Array): AreaOwner {
  const isShort = bytes[0]! < 0x80
  const length = isShort ? bytes[0]! : ((bytes[0]! & 0x7f) << 8) | bytes[1]!
  const names = bytes.subarray(isShort ? 1 : 2)
  const tenant = decoder.decode(names.subarray(0, length))
  return { tenant, kind, user: decoder.decode(names.subarray(length)) }
}
