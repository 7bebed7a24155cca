/** Hands a sign-in over to the issuer of `AUTH_ISSUER` by OpenID Connect, and takes it back. */
import { jwtVerify } from 'jose'
import type { Context } from 'hono'
import type { Claims } from '../../auth/caller-of-claims.ts'
import { ASYMMETRIC } from '../../auth/verify-token.ts'
import { AppError } from '../../errors.ts'
import { toBase64url } from '../../lib/encode.ts'
import { faultEvent } from '../../operations/log-event.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { callerOfGrant, issuerGrant } from '../tokens/grant.ts'
import { newId } from '../tokens/issue.ts'
import { seal, unseal } from '../tokens/sealed.ts'
import { sendCode, sendRefusal } from './answer-client.ts'
import { RefusedRequest, type AuthorizationRequest } from './authorization-request.ts'
import { findBrowser, keepHandover, MAX_AGE_S, takeHandover } from './browser.ts'
import { leavePage } from './consent-page.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { discover, fetchIdToken, type Discovered } from './issuer-endpoints.ts'

const CALLBACK_PATH = '/authorize/callback'

/** What a browser keeps while its person is with the issuer. */
interface Handover {
  readonly request: AuthorizationRequest
  readonly browser: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** @throws {AppError} `keys_unavailable` if the issuer cannot be reached. */
export async function handOver(
  c: Context,
  ctx: SignInContext,
  request: AuthorizationRequest,
): Promise<Response> {
  const { endpoints } = await discover(ctx)
  const [state, nonce] = [newId(), newId()]
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
  const browser = findBrowser(c, ctx.baseUrl)!
  const handover: Handover = { request, browser, state, nonce, verifier }
  const sealed = await seal(ctx, 'handover', { ...handover }, { ttlS: MAX_AGE_S })
  keepHandover(c, ctx.baseUrl, state, sealed)
  const address = new URL(endpoints.authorize)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = {
    response_type: 'code',
    client_id: ctx.signIn.clientId!,
    redirect_uri: ctx.baseUrl + CALLBACK_PATH,
    scope: 'openid',
    state,
    nonce,
    code_challenge: toBase64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return c.html(leavePage(address.href), 200, PAGE_HEADERS)
}

/** What the issuer sent the browser back with. @throws {AppError} for what must not redirect. */
export async function takeBack(c: Context, ctx: SignInContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams
  const handover = await findHandover(c, ctx, query.get('state') ?? '')
  const { request } = handover
  try {
    const claims = await claimsFor(ctx, query, handover)
    const grant = issuerGrant(ctx, claims)
    return await sendCode(c, ctx, request, grant, (await callerOfGrant(ctx, grant))!)
  } catch (error) {
    if (error instanceof RefusedRequest) return sendRefusal(c, ctx, error)
    // Such as an account without a tenant.
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
    return sendRefusal(c, ctx, new RefusedRequest(request, 'access_denied', error.message))
  }
}

async function findHandover(c: Context, ctx: SignInContext, state: string): Promise<Handover> {
  const sealed = takeHandover(c, ctx.baseUrl, state)
  const handover = await unseal<Handover>(ctx, 'handover', sealed ?? '').catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  const isOurs = handover?.state === state && handover.browser === findBrowser(c, ctx.baseUrl)
  if (handover && isOurs) return handover
  throw new AppError('forbidden', 'This sign-in did not begin in this browser. Start again.')
}

async function claimsFor(
  ctx: SignInContext,
  query: URLSearchParams,
  { request, verifier, nonce }: Handover,
): Promise<Claims> {
  const { issuer } = ctx.service.config.auth
  const code = query.get('code')
  // Another server's answer, if it says whose it is (RFC 9207).
  const iss = query.get('iss') ?? issuer
  if (!code || iss !== issuer || query.has('error')) {
    throw new RefusedRequest(request, 'access_denied', 'The issuer did not sign the person in.')
  }
  const discovered = await discover(ctx)
  const redirectUri = ctx.baseUrl + CALLBACK_PATH
  const token = await fetchIdToken(ctx, discovered, { code, verifier, redirectUri })
  if (token === undefined) {
    throw new RefusedRequest(request, 'access_denied', 'The issuer did not accept its own code.')
  }
  return verifyIdToken(ctx, discovered, token, nonce)
}

async function verifyIdToken(
  { service, signIn, requestId }: SignInContext,
  { keys }: Discovered,
  token: string,
  nonce: string,
): Promise<Claims> {
  const notValid = () => new AppError('forbidden', 'The token from the issuer is not valid.')
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ASYMMETRIC,
      issuer: service.config.auth.issuer!,
      audience: signIn.clientId!,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      currentDate: service.now(),
    })
    const isForUs = payload.azp === undefined || payload.azp === signIn.clientId
    if (payload.nonce !== nonce || !isForUs) throw notValid()
    return payload
  } catch (error) {
    if (error instanceof AppError) throw error
    service.log(faultEvent(requestId, 'sign-in', error))
    throw notValid()
  }
}
