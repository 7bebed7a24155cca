/**
 * The token of a short link: area, expiry and issue time, signed with the link's purpose and path.
 *
 * Its bytes: signature (16), expiry (4), issue time (4), length of the tenant (1, or 2 from 128 on),
 * tenant, user, format (1). So it has 70 characters when tenant and user together have 26. A token
 * with terms has their length (1) and themselves behind the issue time; a pinned version takes 12
 * characters. Tokens of earlier releases have no issue time.
 */
import { AppError } from '../errors.ts'
import type { AreaOwner } from '../files/area.ts'
import type { FolderPath } from '../files/path.ts'
import { fromBase64url, toBase64url } from '../lib/encode.ts'
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
  /** When it was given out; 1970 for tokens that do not say. */
  readonly issuedAt: Date
  /**
   * What else its maker laid down, at most 255 bytes; opaque here. To `put` they are the terms of an
   * upload, to `get` the id of the only write whose content the link opens.
   */
  readonly terms?: Uint8Array | undefined
}

/** What a token itself says; purpose and path are in the address that holds it. */
export type TokenClaims = Omit<LinkClaims, 'purpose' | 'path'>

interface Layout {
  readonly format: number
  readonly isTimed: boolean
  readonly hasTerms: boolean
}

/** Keeps these signatures apart from whatever else the same secret may ever sign. */
const DOMAIN = 'moonbucket link'

// The format is the last byte because clients that make addresses clickable leave a `_` or `-` at
// their end out; with these values neither ever comes last. A new format takes other values.
const LAYOUTS: readonly Layout[] = [
  { format: 0x10, isTimed: false, hasTerms: false },
  { format: 0x20, isTimed: false, hasTerms: true },
  { format: 0x40, isTimed: true, hasTerms: false },
  { format: 0x50, isTimed: true, hasTerms: true },
]
/** Added to the format, by position. */
const KINDS = ['user', 'companion', 'default'] as const

const MAX_NAME_BYTES = 1024
const MAX_TERMS_BYTES = 255
const MAX_SECONDS = 0xffff_ffff
const SECONDS_BYTES = 4

const encoder = new TextEncoder()
// A byte order mark is part of a name: dropping it would make one tenant of two.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Signs with the first secret. Tenant and user are checked names: UTF-8 can hold them. */
export async function signLink(secrets: readonly string[], claims: LinkClaims): Promise<string> {
  const [secret] = secrets
  if (!secret) throw new Error('there is no secret to sign links with')
  const body = writeBody(claims)
  const signature = await signFields(secret, signedFields(claims, body))
  return toBase64url(Uint8Array.from([...signature, ...body]))
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
  const bytes = fromBase64url(token) ?? new Uint8Array()
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

/** Only for bytes whose signature holds; gives `null` for a format of another version. */
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
