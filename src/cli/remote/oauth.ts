/** Signs in by OAuth, as RFC 9728, 8414, 7591, 7636, 8252 and 8707 have it, and refreshes tokens. */
import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { UsageError } from '../../errors.ts'
import { awaitRedirect } from './redirect.ts'
import type { OAuthTokens } from './profiles.ts'

const resourceSchema = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).optional(),
  scopes_supported: z.array(z.string()).optional(),
})

const serverSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
})

const tokensSchema = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
})

type Resource = z.output<typeof resourceSchema>

/** What the service says of where to sign in; `null` if it takes only keys. @throws {UsageError} */
export async function discover(url: string): Promise<Resource | null> {
  const { origin } = new URL(url)
  const found = await getJson(`${origin}/.well-known/oauth-protected-resource`)
  if (found === null) return null
  const resource = resourceSchema.parse(found)
  if (new URL(resource.resource).origin !== origin) {
    throw new UsageError(`${origin} describes another service, ${resource.resource}`)
  }
  return resource.authorization_servers?.length ? resource : null
}

/** @param show Called with the address that a person opens. @throws {UsageError} */
export async function signIn(
  { resource, authorization_servers: [issuer] = [], scopes_supported: scopes }: Resource,
  show: (address: string) => void,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const server = await authorizationServer(issuer!)
  const redirect = await awaitRedirect(signal)
  try {
    const clientId = await register(server, redirect.uri)
    const verifier = randomBytes(32).toString('base64url')
    const state = randomBytes(16).toString('base64url')
    const address = new URL(safeAddress(server.authorization_endpoint))
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect.uri,
      state,
      resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(scopes && { scope: scopes.join(' ') }),
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    show(address.href)
    const code = codeOf(await redirect.answered, state, server.issuer)
    const from = { clientId, tokenEndpoint: server.token_endpoint, resource }
    return await requestTokens(from, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect.uri,
      code_verifier: verifier,
    })
  } finally {
    redirect.close()
  }
}

/** @throws {UsageError} if the service wants the person again. */
export async function refresh(tokens: OAuthTokens): Promise<OAuthTokens> {
  const { refreshToken } = tokens
  if (refreshToken === undefined) throw new UsageError('the session has expired; sign in again')
  const fresh = await requestTokens(tokens, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })
  // A server that does not rotate them sends none.
  return { ...fresh, refreshToken: fresh.refreshToken ?? refreshToken }
}

/** RFC 8414: between host and path; others have only the address of OpenID Connect. */
async function authorizationServer(issuer: string) {
  const { origin, pathname } = new URL(safeAddress(issuer))
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const found =
    (await getJson(`${origin}/.well-known/oauth-authorization-server${path}`)) ??
    (await getJson(`${origin}${path}/.well-known/openid-configuration`))
  const server = serverSchema.safeParse(found)
  if (!server.success || server.data.issuer !== issuer) {
    throw new UsageError(`${issuer} does not say how to sign in; use an API key`)
  }
  return server.data
}

async function register(
  { registration_endpoint: endpoint }: z.output<typeof serverSchema>,
  redirectUri: string,
): Promise<string> {
  if (endpoint === undefined) {
    throw new UsageError('the sign-in of this service does not register programs; use an API key')
  }
  const response = await fetch(safeAddress(endpoint), {
    method: 'POST',
    redirect: 'error',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Moonbucket command line',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  }).catch(unreachable)
  const registered = z.object({ client_id: z.string() }).safeParse(await jsonOf(response))
  if (registered.success) return registered.data.client_id
  throw new UsageError(`the sign-in refused this program (status ${response.status})`)
}

/** RFC 9207: an answer of another server is not for us. */
function codeOf(answer: URLSearchParams, state: string, issuer: string): string {
  const isOurs = answer.get('state') === state && (answer.get('iss') ?? issuer) === issuer
  if (!isOurs) throw new UsageError('the sign-in answered another request; try again')
  const code = answer.get('code')
  if (code !== null) return code
  throw new UsageError(`the sign-in was refused (${wordOf(answer.get('error'))})`)
}

async function requestTokens(
  {
    clientId,
    tokenEndpoint,
    resource,
  }: Pick<OAuthTokens, 'clientId' | 'tokenEndpoint' | 'resource'>,
  fields: Readonly<Record<string, string>>,
): Promise<OAuthTokens> {
  const response = await fetch(safeAddress(tokenEndpoint), {
    method: 'POST',
    redirect: 'error',
    body: new URLSearchParams({ ...fields, client_id: clientId, resource }),
  }).catch(unreachable)
  const body = await jsonOf(response)
  const tokens = response.ok ? tokensSchema.safeParse(body) : undefined
  if (!tokens?.success) {
    const reason = wordOf((body as { error?: unknown } | null)?.error)
    throw new UsageError(`the sign-in gave no token (${reason}); sign in again`)
  }
  const { access_token, refresh_token, expires_in } = tokens.data
  return {
    clientId,
    tokenEndpoint,
    resource,
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1000 }),
  }
}

/** Only a word: the rest of an answer may be anything. */
function wordOf(error: unknown): string {
  return typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : 'no reason given'
}

/** `null` if there is nothing. */
async function getJson(address: string): Promise<unknown> {
  const response = await fetch(safeAddress(address), {
    headers: { Accept: 'application/json' },
  }).catch(unreachable)
  return response.ok ? jsonOf(response) : null
}

async function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => null)
}

function unreachable(): never {
  throw new UsageError('the service cannot be reached')
}

/** @throws {UsageError} for an address that would show secrets to the network. */
export function safeAddress(address: string): string {
  if (!URL.canParse(address)) throw new UsageError(`${JSON.stringify(address)} is not an address`)
  const { protocol, hostname } = new URL(address)
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return address
  throw new UsageError(`${address} must begin with https://`)
}
