/** `/token`: a code or a refresh token for new tokens, each once. */
import type { Caller } from '../../caller.ts'
import { AppError } from '../../errors.ts'
import { toBase64url } from '../../lib/encode.ts'
import { isRevoked, revokeSignIn, useOnce } from '../../operations/sign-in/sign-in-store.ts'
import { clientHash, isResource, scopesIn } from '../authorize/authorization-request.ts'
import { isGone } from '../clients/find-client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { callerOfGrant, commonScopes, methodOf } from './grant.ts'
import { issueTokens, type CodeClaims, type RefreshClaims } from './issue.ts'
import { unseal, type Purpose } from './sealed.ts'

const VERIFIER = /^[\w.~-]{43,128}$/

/** @throws {OAuthError} and {@link AppError} `storage_unavailable`. */
export async function answerTokenRequest(
  ctx: SignInContext,
  form: URLSearchParams,
): Promise<object> {
  const twice = [...form.keys()].find((name) => name !== 'resource' && form.getAll(name).length > 1)
  if (twice !== undefined) throw new OAuthError('invalid_request', 'A parameter is given twice.')
  if (!form.getAll('resource').every((resource) => isResource(resource, ctx.baseUrl))) {
    throw new OAuthError('invalid_target', 'resource is not this service.')
  }
  try {
    return await answerGrant(ctx, form)
  } catch (error) {
    const isRefused = error instanceof OAuthError && error.error === 'invalid_grant'
    if (!isRefused || !(await isGone(ctx, required(form, 'client_id')))) throw error
    // Otherwise it would send the person to /authorize with an id that is refused there.
    throw new OAuthError('invalid_client', 'The registration is no longer valid. Register again.')
  }
}

async function answerGrant(ctx: SignInContext, form: URLSearchParams): Promise<object> {
  const type = form.get('grant_type')
  if (type === 'authorization_code') return answerCode(ctx, form)
  if (type === 'refresh_token') return answerRefresh(ctx, form)
  const description = 'grant_type must be authorization_code or refresh_token.'
  throw new OAuthError(type ? 'unsupported_grant_type' : 'invalid_request', description)
}

async function answerCode(ctx: SignInContext, form: URLSearchParams): Promise<object> {
  const claims = await read<CodeClaims>(ctx, 'code', required(form, 'code'), form)
  // Without it, who sees a code in an address could use it.
  const verifier = required(form, 'code_verifier')
  const isProven = VERIFIER.test(verifier) && (await challengeOf(verifier)) === claims.challenge
  if (!isProven) throw new OAuthError('invalid_grant', 'code_verifier does not match the code.')
  const redirectUri = form.get('redirect_uri')
  // OAuth 2.1 drops it here; PKCE already ties the code to the request.
  if (redirectUri !== null && redirectUri !== claims.redirectUri) {
    throw new OAuthError('invalid_grant', 'redirect_uri is not the one the code is for.')
  }
  const caller = await assertFirstUse(ctx, 'code', claims)
  const scope = commonScopes(claims.scope.split(' '), caller).join(' ')
  return issueTokens(ctx, { ...claims, scope })
}

async function answerRefresh(ctx: SignInContext, form: URLSearchParams): Promise<object> {
  const claims = await read<RefreshClaims>(ctx, 'refresh', required(form, 'refresh_token'), form)
  const granted = claims.scope.split(' ')
  const asked = form.has('scope') ? scopesIn(form.get('scope')) : granted
  if (!asked.some((scope) => granted.includes(scope))) {
    throw new OAuthError('invalid_scope', 'scope names nothing that was granted.')
  }
  const caller = await assertFirstUse(ctx, 'refresh token', claims)
  const left = commonScopes(granted, caller)
  const scope = left.filter((one) => asked.includes(one)).join(' ')
  const { tenant, user } = caller
  const { requestId: request_id } = ctx
  const method = methodOf(claims.grant)
  ctx.service.log({ event: 'sign_in', request_id, tenant, user, op: 'refresh', method })
  // A refresh token keeps what was granted, also if the client wants less this time.
  return issueTokens(ctx, { ...claims, scope }, left.join(' '))
}

/** @throws {OAuthError} `invalid_grant` unless it is ours and this client's. */
async function read<Claims extends RefreshClaims>(
  ctx: SignInContext,
  purpose: Purpose,
  token: string,
  form: URLSearchParams,
): Promise<Claims & { readonly exp?: number }> {
  const client = await clientHash(required(form, 'client_id'))
  const claims = await unseal<Claims>(ctx, purpose, token).catch((error: unknown) => {
    throw error instanceof AppError ? new OAuthError('invalid_grant', error.message) : error
  })
  if (claims.client !== client) {
    throw new OAuthError('invalid_grant', 'It was issued to another client.')
  }
  return claims
}

/**
 * The second use revokes the whole sign-in: one of the two users has stolen it, and nobody can tell
 * which.
 */
async function assertFirstUse(
  ctx: SignInContext,
  name: string,
  { jti: id, exp, family, grant }: RefreshClaims & { readonly exp?: number },
): Promise<Caller> {
  const { service } = ctx
  const [caller, isEnded] = await Promise.all([
    findCaller(ctx, grant),
    isRevoked(service, family, 0),
  ])
  if (isEnded) throw new OAuthError('invalid_grant', 'This sign-in was revoked.')
  if (!caller) {
    throw new OAuthError('invalid_grant', 'The key or account that signed in is no longer valid.')
  }
  if (await useOnce(service, { id, expiresAt: new Date(exp! * 1000) })) return caller
  await revokeSignIn(service, family)
  const reason = `The ${name} was used before: its sign-in is revoked.`
  service.log({
    event: 'denied',
    request_id: ctx.requestId,
    status: 400,
    reason,
    method: 'POST',
    route: '/token',
    tenant: caller.tenant,
    user: caller.user,
  })
  throw new OAuthError('invalid_grant', reason)
}

async function findCaller(ctx: SignInContext, grant: RefreshClaims['grant']) {
  try {
    return await callerOfGrant(ctx, grant)
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return undefined
    throw error
  }
}

async function challengeOf(verifier: string): Promise<string> {
  const bytes = new TextEncoder().encode(verifier)
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name)
  if (!value) throw new OAuthError('invalid_request', `${name} is required.`)
  return value
}
