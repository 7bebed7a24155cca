/** Who is calling, as their token says and nothing else. */
import { InsufficientScope } from './errors.ts'

/** What a token may allow. */
export const SCOPES = ['execute', 'files:read', 'files:write'] as const

export type Scope = (typeof SCOPES)[number]

/** Everything the service knows about the sender of a request. */
export interface Caller {
  /** As the claim spells it; never part of a key as it is. */
  readonly tenant: string
  /** `null` for callers without a user of their own. */
  readonly user: string | null
  /** The companion app has an area of its own, whatever its user is called. */
  readonly isCompanion: boolean
  readonly scopes: ReadonlySet<Scope>
  /** The only path prefixes this token may use; absent allows all. */
  readonly paths?: readonly string[] | undefined
}

/** @throws {InsufficientScope} naming the first scope that the caller lacks. */
export function assertScopes({ scopes }: Caller, needed: readonly Scope[]): void {
  const missing = needed.find((scope) => !scopes.has(scope))
  if (missing !== undefined) throw new InsufficientScope(missing, needed)
}
