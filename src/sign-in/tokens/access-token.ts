/** Verifies the access tokens of sign-in. */
import type { Caller } from '../../caller.ts'
import { AppError } from '../../errors.ts'
import { isRevoked } from '../../operations/sign-in/sign-in-store.ts'
import { resourceOf, type SignInContext } from '../sign-in-context.ts'
import { callerOfGrant, commonScopes } from './grant.ts'
import type { AccessClaims } from './issue.ts'
import { unseal } from './sealed.ts'

type Verifying = Pick<SignInContext, 'service' | 'signIn' | 'findApiKey' | 'baseUrl'>

/**
 * The key decides as it is now, and the token at most narrows that.
 *
 * @throws {AppError} `unauthenticated`, `forbidden` or `storage_unavailable`.
 */
export async function verifyAccessToken(ctx: Verifying, token: string): Promise<Caller> {
  const { grant, family, scope } = await unseal<AccessClaims>(
    ctx,
    'access',
    token,
    resourceOf(ctx.baseUrl),
  )
  const [caller, isEnded] = await Promise.all([
    callerOfGrant(ctx, grant),
    isRevoked(ctx.service, family),
  ])
  if (isEnded) throw new AppError('unauthenticated', 'This sign-in was revoked.')
  if (!caller) {
    throw new AppError('unauthenticated', 'The key or account that signed in is no longer valid.')
  }
  return { ...caller, scopes: new Set(commonScopes(scope.split(' '), caller)) }
}
