/** What a verified token says, read as who is calling. Nothing in a request can add to it. */
import { SCOPES, type Caller, type Scope } from '../caller.ts'
import type { AuthConfig } from '../config.ts'
import { AppError } from '../errors.ts'

/** Claims by name, of any type: a valid signature says who wrote them, not that they make sense. */
export type Claims = Readonly<Record<string, unknown>>

/** How this installation reads claims. */
export type ClaimRules = Pick<AuthConfig, 'tenantClaim' | 'defaultScopes'>

/** Any of these may say that the companion app is calling. */
const COMPANION_CLAIMS = [
  'sub',
  'user_id',
  'app_id',
  'session_id',
  'channel_name',
  'conversation_type',
]
const MAX_NAME_LENGTH = 256

/**
 * A claim that is there but cannot be read is refused, never taken for one that is missing:
 * that would give its owner another area, the default scopes or every path.
 *
 * @throws {AppError} `forbidden` without a tenant and for claims that cannot be used.
 */
export function callerOfClaims(claims: Claims, rules: ClaimRules): Caller {
  const tenant = parseName(
    claims[rules.tenantClaim],
    'The token names a tenant that cannot be used.',
  )
  if (tenant === null) throw new AppError('forbidden', 'The token names no tenant.')
  return {
    tenant,
    user: parseName(claims.sub, 'The token names a user that cannot be used.'),
    isCompanion: COMPANION_CLAIMS.some((claim) => isCompanion(claims[claim])),
    scopes: parseScopes(claims.scope, rules.defaultScopes),
    paths: parsePaths(claims.paths),
  }
}

function parseName(value: unknown, fault: string): string | null {
  if (value === undefined || value === '') return null
  // Without its other half a surrogate has no bytes of its own: two such names would share one area.
  const isName =
    typeof value === 'string' && value.length <= MAX_NAME_LENGTH && !/\p{Cs}/u.test(value)
  if (!isName) throw new AppError('forbidden', fault)
  return value
}

function isCompanion(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === 'companion'
}

function parseScopes(value: unknown, defaults: readonly Scope[]): ReadonlySet<Scope> {
  if (value === undefined) return new Set(defaults)
  const words = typeof value === 'string' ? value.split(' ') : value
  if (!isTexts(words)) throw new AppError('forbidden', 'The token has scopes that cannot be read.')
  return new Set(SCOPES.filter((scope) => words.includes(scope)))
}

function parsePaths(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  const paths = typeof value === 'string' ? [value] : value
  if (!isTexts(paths)) throw new AppError('forbidden', 'The token has paths that cannot be read.')
  const folders = paths.filter(namesFolder)
  if (folders.length === 0) throw new AppError('forbidden', 'The token allows no path.')
  return folders
}

/** The root, however it is spelled, does not count: as a prefix it would allow everything. */
function namesFolder(path: string): boolean {
  return path.split('/').some((segment) => segment !== '' && segment !== '.')
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
