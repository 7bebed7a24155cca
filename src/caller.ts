/** The caller, from the token alone. */
import { InsufficientScope } from './errors.ts'
import type { Quotas } from './quotas.ts'

/** By default. */
export const SCOPES = ['execute', 'files:read', 'files:write'] as const

/** `admin` only where a token or key names it: its holder manages what others of the tenant use. */
export const ALL_SCOPES = [...SCOPES, 'admin'] as const

export type Scope = (typeof ALL_SCOPES)[number]

export interface Caller {
  /** As in the claim; never used in a key directly. */
  readonly tenant: string
  /** `null` without a user. */
  readonly user: string | null
  /** The companion app has its own area, whatever its user. */
  readonly isCompanion: boolean
  readonly scopes: ReadonlySet<Scope>
  /** Allowed path prefixes; absent allows all. */
  readonly paths?: readonly string[] | undefined
  /** Of the tenant, as the token says; those of the settings apply too. */
  readonly quotas?: Quotas | undefined
  /** SHA-256 of the API key in hex; absent for a JWT. */
  readonly apiKey?: string | undefined
}

const MAX_NAME_LENGTH = 256

/** Whether a tenant or user can have this name. */
export function isName(text: string): boolean {
  // Lone surrogates have no UTF-8 form: two such names would share an area.
  return text !== '' && text.length <= MAX_NAME_LENGTH && !/\p{Cs}/u.test(text)
}

/** Excludes the root in any spelling: as an allowed prefix it would allow everything. */
export function namesFolder(path: string): boolean {
  return path.split('/').some((segment) => segment !== '' && segment !== '.')
}

/** @throws {InsufficientScope} naming the first missing scope. */
export function assertScopes({ scopes }: Caller, needed: readonly Scope[]): void {
  const missing = needed.find((scope) => !scopes.has(scope))
  if (missing !== undefined) throw new InsufficientScope(missing, needed)
}
