/** Sends the browser back to the client, with a code or the reason why there is none. */
import type { Context } from 'hono'
import type { Caller } from '../../caller.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { commonScopes, methodOf, type Grant } from '../tokens/grant.ts'
import { issueCode } from '../tokens/issue.ts'
import {
  answerAddress,
  RefusedRequest,
  type AuthorizationRequest,
} from './authorization-request.ts'
import { PAGE_HEADERS } from './page-headers.ts'

/** After a person signed in. Throws {@link RefusedRequest} if nothing of it can be granted. */
export async function sendCode(
  c: Context,
  ctx: SignInContext,
  request: AuthorizationRequest,
  grant: Grant,
  caller: Caller,
): Promise<Response> {
  const scopes = commonScopes(request.scopes, caller)
  if (scopes.length === 0) {
    throw new RefusedRequest(request, 'access_denied', 'The account allows none of that.')
  }
  const code = await issueCode(ctx, { ...request, scopes }, grant)
  ctx.service.log({
    event: 'sign_in',
    request_id: ctx.requestId,
    tenant: caller.tenant,
    user: caller.user,
    op: 'allow',
    method: methodOf(grant),
    client: request.clientHost ?? request.clientName,
  })
  return redirect(c, answerAddress(ctx, request, { code }))
}

/** To the client, whose address was checked. */
export function sendRefusal(c: Context, ctx: SignInContext, refused: RefusedRequest): Response {
  const { to, error, message } = refused
  logRefusal(c, ctx, 302, `${error}: ${message}`)
  return redirect(c, answerAddress(ctx, to, { error, error_description: message }))
}

export function logRefusal(
  c: Context,
  { service, requestId }: SignInContext,
  status: number,
  reason: string,
  caller?: Caller,
): void {
  service.log({
    event: 'denied',
    request_id: requestId,
    status,
    reason,
    method: c.req.method,
    route: c.req.path,
    tenant: caller?.tenant,
    user: caller?.user,
  })
}

function redirect(c: Context, address: string): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  // 303 makes it a GET, so that no form is sent on (RFC 9700, section 4.12).
  return c.redirect(address, 303)
}
