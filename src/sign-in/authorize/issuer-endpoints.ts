/** What the issuer of `AUTH_ISSUER` publishes about itself, and its token endpoint. */
import type { JWTVerifyGetKey } from 'jose'
import { remoteKeys } from '../../auth/remote-keys.ts'
import { AppError } from '../../errors.ts'
import { isLoopback } from '../../lib/host-name.ts'
import type { SignInContext } from '../sign-in-context.ts'

export interface Discovered {
  readonly endpoints: { readonly authorize: string; readonly token: string }
  readonly keys: JWTVerifyGetKey
  /** Whether the client's secret goes in the form, for issuers that know no other way. */
  readonly sendsSecretInForm: boolean
}

interface Cached {
  readonly discovered: Discovered
  readonly at: number
}

interface CodeToSend {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

const FETCH_MS = 5_000
const MAX_AGE_MS = 10 * 60_000
const MAX_LENGTH = 256 * 1024

/** By issuer. No promises: a Worker request must not await another's. */
const cache = new Map<string, Cached>()

/** @throws {AppError} `keys_unavailable` */
export async function discover({ service }: SignInContext): Promise<Discovered> {
  const issuer = service.config.auth.issuer!
  const now = service.now().getTime()
  const known = cache.get(issuer)
  if (known && Math.abs(now - known.at) < MAX_AGE_MS) return known.discovered
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { body } = await exchange(address, { headers: { Accept: 'application/json' } })
  const document = body as Readonly<Record<string, unknown>>
  // Otherwise one issuer could speak for another.
  if (document.issuer !== issuer) throw unavailable(new Error('the metadata is of another issuer'))
  const methods = document.token_endpoint_auth_methods_supported
  const discovered = {
    endpoints: {
      authorize: addressIn(document, 'authorization_endpoint'),
      token: addressIn(document, 'token_endpoint'),
    },
    keys: remoteKeys(addressIn(document, 'jwks_uri'), service.now),
    sendsSecretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
  }
  cache.set(issuer, { discovered, at: now })
  return discovered
}

/** `undefined` if the issuer refuses the code. @throws {AppError} `keys_unavailable` */
export async function fetchIdToken(
  { signIn }: SignInContext,
  { endpoints, sendsSecretInForm }: Discovered,
  { code, verifier, redirectUri }: CodeToSend,
): Promise<string | undefined> {
  const { clientId = '', clientSecret } = signIn
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: clientId,
  })
  const headers = new Headers({ Accept: 'application/json' })
  if (clientSecret !== undefined && sendsSecretInForm) form.set('client_secret', clientSecret)
  else if (clientSecret !== undefined) {
    headers.set('Authorization', basic(clientId, clientSecret))
  }
  const { status, body } = await exchange(endpoints.token, { method: 'POST', headers, body: form })
  const { id_token } = body as { readonly id_token?: unknown }
  return status === 200 && typeof id_token === 'string' ? id_token : undefined
}

/** Each part is form-encoded first (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`
}

async function exchange(address: string, init: RequestInit) {
  try {
    const signal = AbortSignal.timeout(FETCH_MS)
    const answer = await fetch(address, { ...init, redirect: 'manual', signal })
    const text = await answer.text()
    if (answer.status >= 500 || text.length > MAX_LENGTH) {
      throw new Error(`the issuer answered ${answer.status} with ${text.length} characters`)
    }
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) throw new Error('the issuer sent no object')
    return { status: answer.status, body }
  } catch (cause) {
    throw unavailable(cause)
  }
}

function addressIn(document: Readonly<Record<string, unknown>>, name: string): string {
  const url = URL.parse(String(document[name]))
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (!url || !isSafe) throw unavailable(new Error(`the issuer has no ${name}`))
  return url.href
}

function unavailable(cause: unknown): AppError {
  const message = 'The issuer cannot be reached right now. Try again shortly.'
  return new AppError('keys_unavailable', message, { cause })
}
