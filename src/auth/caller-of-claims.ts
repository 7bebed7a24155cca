/** Reads a verified token's claims as the caller. */
import { ALL_SCOPES, isName, namesFolder, type Caller, type Scope } from '../caller.ts'
import type { AuthConfig } from '../config.ts'
import { AppError } from '../errors.ts'
import { MAX_QUOTA, QUOTA_ROWS, quotasFrom, type Quotas } from '../quotas.ts'

/** Untyped: a valid signature does not make them well-formed. */
export type Claims = Readonly<Record<string, unknown>>

export type ClaimRules = Pick<AuthConfig, 'tenantClaim' | 'defaultScopes'>

/** Claims that may identify the companion app. */
const COMPANION_CLAIMS = [
  'sub',
  'user_id',
  'app_id',
  'session_id',
  'channel_name',
  'conversation_type',
]

/**
 * An unreadable claim is refused, never treated as missing: that could give another area, the
 * default scopes or every path.
 *
 * @throws {AppError} `forbidden` without a tenant and for unusable claims.
 */
export function callerOfClaims(claims: Claims, rules: ClaimRules): Caller {
  const tenant = parseName(claims[rules.tenantClaim], 'The tenant in the token is not valid.')
  if (tenant === null) throw new AppError('forbidden', 'The token names no tenant.')
  return {
    tenant,
    user: parseName(claims.sub, 'The user in the token is not valid.'),
    isCompanion: COMPANION_CLAIMS.some((claim) => isCompanion(claims[claim])),
    scopes: parseScopes(claims.scope, rules.defaultScopes),
    paths: parsePaths(claims.paths),
    quotas: parseQuotas(claims),
  }
}

/** Those that {@link callerOfClaims} reads. */
export function identifyingClaims(claims: Claims, { tenantClaim }: ClaimRules): Claims {
  const quotas = QUOTA_ROWS.map(([, { claim }]) => claim)
  const names = [tenantClaim, 'scope', 'paths', ...COMPANION_CLAIMS, ...quotas]
  return Object.fromEntries(
    names.filter((name) => claims[name] !== undefined).map((name) => [name, claims[name]]),
  )
}

function parseName(value: unknown, fault: string): string | null {
  if (value === undefined || value === '') return null
  if (typeof value !== 'string' || !isName(value)) throw new AppError('forbidden', fault)
  return value
}

function isCompanion(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === 'companion'
}

function parseScopes(value: unknown, defaults: readonly Scope[]): ReadonlySet<Scope> {
  if (value === undefined) return new Set(defaults)
  const words = typeof value === 'string' ? value.split(' ') : value
  if (!isTexts(words)) throw new AppError('forbidden', 'The scopes in the token are not valid.')
  return new Set(ALL_SCOPES.filter((scope) => words.includes(scope)))
}

function parsePaths(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  const paths = typeof value === 'string' ? [value] : value
  if (!isTexts(paths)) throw new AppError('forbidden', 'The paths in the token are not valid.')
  const folders = paths.filter(namesFolder)
  if (folders.length === 0) throw new AppError('forbidden', 'The token allows no path.')
  return folders
}

/** `undefined` without any. */
function parseQuotas(claims: Claims): Quotas | undefined {
  const quotas = quotasFrom(({ claim }) => {
    const value = claims[claim]
    if (value === undefined) return undefined
    const isQuota =
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_QUOTA
    if (isQuota) return value
    const problem = `${claim} must be a whole number from 0 to ${MAX_QUOTA}`
    throw new AppError('forbidden', `The quota in the token is not valid: ${problem}.`)
  })
  return Object.keys(quotas).length > 0 ? quotas : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
