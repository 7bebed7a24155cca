/** `/authorize`: asks a person, and sends the client a code or the refusal. */
import type { Context } from 'hono'
import type { Caller } from '../../caller.ts'
import { AppError } from '../../errors.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { callerOfGrant, commonScopes } from '../tokens/grant.ts'
import { seal, unseal } from '../tokens/sealed.ts'
import { logRefusal, sendCode, sendRefusal } from './answer-client.ts'
import { readRequest, RefusedRequest, type AuthorizationRequest } from './authorization-request.ts'
import { findBrowser, markBrowser, MAX_AGE_S } from './browser.ts'
import { consentHeaders, consentPage } from './consent-page.ts'
import { handOver } from './issuer.ts'

/** What the consent form carries. */
interface Ticket {
  readonly request: AuthorizationRequest
  readonly browser: string
}

/** @throws {AppError} for what must not redirect. */
export async function askPerson(c: Context, ctx: SignInContext): Promise<Response> {
  try {
    const request = await readRequest(ctx, new URL(c.req.url).searchParams)
    return await showConsent(c, ctx, request)
  } catch (error) {
    if (error instanceof RefusedRequest) return sendRefusal(c, ctx, error)
    throw error
  }
}

/** @throws {AppError} `forbidden` for a form that did not come from here. */
export async function takeAnswer(
  c: Context,
  ctx: SignInContext,
  form: URLSearchParams,
): Promise<Response> {
  const request = await readTicket(c, ctx, form.get('ticket') ?? '')
  const choice = form.get('choice')
  const { methods } = ctx.signIn
  if (choice === 'refuse') {
    const refusal = new RefusedRequest(request, 'access_denied', 'The person refused.')
    return sendRefusal(c, ctx, refusal)
  }
  if (choice === 'issuer' && methods.includes('issuer')) return handOver(c, ctx, request)
  // Enter sends the form by its first button, or by none.
  if (!methods.includes('keys')) throw new AppError('malformed', 'The form is not complete.')
  return takeKey(c, ctx, request, (form.get('key') ?? '').trim())
}

async function takeKey(
  c: Context,
  ctx: SignInContext,
  request: AuthorizationRequest,
  key: string,
): Promise<Response> {
  ctx.attempts.count('key', ctx.address)
  const grant = { key: await sha256Hex(new TextEncoder().encode(key)) }
  const caller = key === '' ? undefined : await callerOfGrant(ctx, grant)
  if (!caller) return askAgain(c, ctx, request, 'This API key is not valid here.')
  ctx.attempts.forget('key', ctx.address)
  if (commonScopes(request.scopes, caller).length === 0) {
    return askAgain(c, ctx, request, 'This API key allows none of that.', caller)
  }
  return sendCode(c, ctx, request, grant, caller)
}

async function showConsent(
  c: Context,
  ctx: SignInContext,
  request: AuthorizationRequest,
  problem?: string,
): Promise<Response> {
  const { methods } = ctx.signIn
  const ticket: Ticket = { request, browser: markBrowser(c, ctx.baseUrl) }
  const { issuer } = ctx.service.config.auth
  const html = consentPage({
    request,
    ticket: await seal(ctx, 'consent', { ...ticket }, { ttlS: MAX_AGE_S }),
    takesKeys: methods.includes('keys'),
    issuerHost: methods.includes('issuer') ? new URL(issuer!).host : undefined,
    problem,
  })
  return c.html(html, problem === undefined ? 200 : 403, consentHeaders(request))
}

function askAgain(
  c: Context,
  ctx: SignInContext,
  request: AuthorizationRequest,
  problem: string,
  caller?: Caller,
): Promise<Response> {
  logRefusal(c, ctx, 403, problem, caller)
  return showConsent(c, ctx, request, problem)
}

async function readTicket(
  c: Context,
  ctx: SignInContext,
  sealed: string,
): Promise<AuthorizationRequest> {
  // `null` origins are our own: the page sends no referrer. This header tells more.
  const site = c.req.header('Sec-Fetch-Site') ?? 'same-origin'
  const ticket = await unseal<Ticket>(ctx, 'consent', sealed).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  const isOurs = ticket !== undefined && ticket.browser === findBrowser(c, ctx.baseUrl)
  if (isOurs && ['same-origin', 'none'].includes(site)) return ticket.request
  const message = 'This form is too old, or was not opened in this browser. Start again.'
  throw new AppError('forbidden', message)
}
