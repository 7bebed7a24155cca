/** On whose behalf tokens are issued. */
import { callerOfClaims, identifyingClaims, type Claims } from '../../auth/caller-of-claims.ts'
import { callerOfApiKey } from '../../auth/verify-token.ts'
import { SCOPES, type Caller, type Scope } from '../../caller.ts'
import type { SignInMethod } from '../../settings.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** An API key, which is looked up at each use, or what the issuer said about a person. */
export type Grant =
  | { readonly key: string }
  | {
      readonly claims: Claims
      /** In seconds; then the person signs in again: the issuer may have closed the account. */
      readonly until: number
    }

type Granting = Pick<SignInContext, 'service' | 'findApiKey'>

const ISSUER_GRANT_S = 7 * 24 * 3600

export function issuerGrant({ service }: Granting, claims: Claims): Grant {
  const until = Math.floor(service.now().getTime() / 1000) + ISSUER_GRANT_S
  return { claims: identifyingClaims(claims, service.config.auth), until }
}

export function methodOf(grant: Grant): SignInMethod {
  return 'key' in grant ? 'keys' : 'issuer'
}

/**
 * `undefined` if the key is gone, or the time is over.
 *
 * @throws {AppError} `forbidden` for what can never be a caller.
 */
export async function callerOfGrant(
  { service, findApiKey }: Granting,
  grant: Grant,
): Promise<Caller | undefined> {
  const { auth } = service.config
  if ('key' in grant) {
    const owner = await findApiKey(grant.key)
    return owner && { ...callerOfApiKey(owner, auth), apiKey: grant.key }
  }
  const isOver = service.now().getTime() >= grant.until * 1000
  return isOver ? undefined : callerOfClaims(grant.claims, auth)
}

/** What was asked for and may be given. */
export function commonScopes(asked: readonly string[], { scopes }: Caller): readonly Scope[] {
  return SCOPES.filter((scope) => asked.includes(scope) && scopes.has(scope))
}
