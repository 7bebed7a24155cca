/** What a client asks for at `/authorize`. */
import { SCOPES, type Scope } from '../../caller.ts'
import { AppError } from '../../errors.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import type { Client } from '../clients/client.ts'
import { findClient } from '../clients/find-client.ts'
import { isSameRedirectUri, withParameters } from '../clients/redirect-uri.ts'
import { resourceOf, type SignInContext } from '../sign-in-context.ts'

/** Checked; carried by the consent form and by codes. */
export interface AuthorizationRequest {
  /** SHA-256 of the client's id. */
  readonly client: string
  readonly clientName: string
  /** As in {@link Client}. */
  readonly clientHost?: string | undefined
  readonly redirectUri: string
  readonly state?: string | undefined
  /** Of PKCE, by S256. */
  readonly challenge: string
  readonly scopes: readonly Scope[]
}

/** An error that the client may be told: its redirect URI is known to be its own. */
export class RefusedRequest extends Error {
  readonly to: Pick<AuthorizationRequest, 'redirectUri' | 'state'>
  readonly error: string

  constructor(to: RefusedRequest['to'], error: string, description: string) {
    super(description)
    this.name = 'RefusedRequest'
    this.to = to
    this.error = error
  }
}

/** Clients send it back and forth, and a cookie must hold it. */
const MAX_STATE = 1_500
const CHALLENGE = /^[\w-]{43}$/

/**
 * @throws {RefusedRequest} and, as long as nobody knows where to redirect, {@link AppError}.
 */
export async function readRequest(
  ctx: SignInContext,
  query: URLSearchParams,
): Promise<AuthorizationRequest> {
  const { client, redirectUri } = await findTarget(ctx, query)
  const state = query.get('state') ?? undefined
  const to = { redirectUri, state: query.getAll('state').length > 1 ? undefined : state }
  const refuse = (error: string, description: string): never => {
    throw new RefusedRequest(to, error, description)
  }
  const repeated = ['response_type', 'state', 'code_challenge', 'code_challenge_method', 'scope']
  const twice = repeated.find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) refuse('invalid_request', `${twice} may be given only once.`)
  if (query.has('request') || query.has('request_uri')) {
    refuse('request_not_supported', 'Request objects are not supported.')
  }
  if (query.get('response_type') !== 'code') {
    refuse('unsupported_response_type', 'response_type must be code.')
  }
  if ((state ?? '').length > MAX_STATE) {
    to.state = undefined
    refuse('invalid_request', `state may have at most ${MAX_STATE} characters.`)
  }
  // Without a method it would be plain, which protects nothing.
  if (query.get('code_challenge_method') !== 'S256') {
    refuse('invalid_request', 'PKCE is required: code_challenge_method must be S256.')
  }
  const challenge = query.get('code_challenge') ?? ''
  if (!CHALLENGE.test(challenge)) {
    refuse('invalid_request', 'code_challenge must be the S256 of a code_verifier.')
  }
  if (!query.getAll('resource').every((resource) => isResource(resource, ctx.baseUrl))) {
    refuse('invalid_target', `resource must be ${resourceOf(ctx.baseUrl)}.`)
  }
  const scopes = scopesIn(query.get('scope'))
  if (scopes.length === 0)
    refuse('invalid_scope', `scope must name at least one of ${SCOPES.join(' ')}.`)
  return {
    client: await clientHash(client.id),
    clientName: client.name,
    clientHost: client.host,
    redirectUri,
    state,
    challenge,
    scopes,
  }
}

/** Who asks, and where the answer goes. @throws {AppError} */
async function findTarget(
  ctx: SignInContext,
  query: URLSearchParams,
): Promise<{ readonly client: Client; readonly redirectUri: string }> {
  const [id, ...otherIds] = query.getAll('client_id')
  const [redirectUri, ...otherUris] = query.getAll('redirect_uri')
  if (!id || !redirectUri || otherIds.length > 0 || otherUris.length > 0) {
    const message =
      'The program that sent you here must give client_id and redirect_uri, once each.'
    throw new AppError('malformed', message)
  }
  const client = await findClient(ctx, id)
  if (client.redirectUris.some((registered) => isSameRedirectUri(registered, redirectUri))) {
    return { client, redirectUri }
  }
  const message =
    'The program that sent you here wants the answer at an address that is not its own.'
  throw new AppError('malformed', message)
}

/** Tokens are for the whole service, by whichever of its addresses a client knows it. */
export function isResource(resource: string, baseUrl: string): boolean {
  const own = [baseUrl, resourceOf(baseUrl)]
  return own.includes(resource.replace(/\/$/, ''))
}

/** Unknown ones are left out. `admin` is never given to a host. */
export function scopesIn(scope: string | null): readonly Scope[] {
  if (scope === null || scope.trim() === '') return SCOPES
  const words = scope.split(' ')
  return SCOPES.filter((one) => words.includes(one))
}

export function clientHash(id: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(id))
}

/** The address of the answer; `iss` says whose it is (RFC 9207). */
export function answerAddress(
  { baseUrl }: Pick<SignInContext, 'baseUrl'>,
  { redirectUri, state }: RefusedRequest['to'],
  answer: Readonly<Record<string, string>>,
): string {
  return withParameters(redirectUri, { ...answer, state, iss: baseUrl })
}
