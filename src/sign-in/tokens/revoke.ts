/** `/revoke`: ends the sign-in that a token belongs to (RFC 7009). */
import { AppError } from '../../errors.ts'
import { revokeSignIn } from '../../operations/sign-in/sign-in-store.ts'
import { clientHash } from '../authorize/authorization-request.ts'
import { OAuthError } from '../oauth-error.ts'
import { resourceOf, type SignInContext } from '../sign-in-context.ts'
import { callerOfGrant, methodOf } from './grant.ts'
import type { AccessClaims } from './issue.ts'
import { unseal } from './sealed.ts'

/** A token that is not valid needs no revoking. @throws {OAuthError} */
export async function revoke(ctx: SignInContext, form: URLSearchParams): Promise<void> {
  const token = form.get('token')
  if (!token) throw new OAuthError('invalid_request', 'token is required.')
  const claims = await findClaims(ctx, token)
  if (!claims) return
  const client = form.get('client_id')
  if (client !== null && (await clientHash(client)) !== claims.client) {
    throw new OAuthError('invalid_grant', 'It was issued to another client.')
  }
  await revokeSignIn(ctx.service, claims.family)
  const caller = await callerOfGrant(ctx, claims.grant).catch(() => undefined)
  if (!caller) return
  const { tenant, user } = caller
  const { requestId: request_id } = ctx
  const method = methodOf(claims.grant)
  ctx.service.log({ event: 'sign_in', request_id, tenant, user, op: 'revoke', method })
}

/** The hint of RFC 7009 is only a hint. */
async function findClaims(ctx: SignInContext, token: string): Promise<AccessClaims | undefined> {
  const orNone = (error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  }
  return (
    (await unseal<AccessClaims>(ctx, 'refresh', token).catch(orNone)) ??
    (await unseal<AccessClaims>(ctx, 'access', token, resourceOf(ctx.baseUrl)).catch(orNone))
  )
}
