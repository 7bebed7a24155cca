/** Puts a credential on a request: the operator's by the name of a secret, or the caller's own. */
import { ApiError } from './api-error.ts'
import type { ApiInfo, AuthRule } from './catalog.ts'
import type { ApiRequest } from './build-request.ts'
import type { Redactor } from './redact.ts'

/** What a caller brings for one API: a token or key, or a name and password. */
export type CallerCredential = string | { readonly username: string; readonly password: string }

/** Gets an access token for the client; kept until shortly before it expires. */
export type FetchAccessToken = (
  rule: AuthRule & { readonly type: 'oauth2' },
  clientSecret: string,
) => Promise<string>

/** Where credentials come from in one run. */
export interface CredentialSource {
  /** The value of a secret by its name. */
  secretOf(name: string): string | undefined
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  readonly fetchAccessToken: FetchAccessToken
  readonly redactor: Redactor
}

/** @throws {ApiError} `unauthorized` when there is none. */
export async function addCredential(
  request: ApiRequest,
  api: ApiInfo,
  source: CredentialSource,
): Promise<void> {
  const { auth } = api
  if (!auth) return
  const own = api.takesCallerAuth ? source.callerAuth.get(api.name) : undefined
  const secret = auth.secret === '' ? undefined : source.secretOf(auth.secret)
  const credential = own ?? secret
  if (credential === undefined) throw missing(api)
  for (const part of typeof credential === 'string' ? [credential] : Object.values(credential)) {
    source.redactor.hide(part)
  }
  if (typeof credential !== 'string') {
    put(
      request,
      source,
      'Authorization',
      `Basic ${basic(credential.username, credential.password)}`,
    )
    return
  }
  switch (auth.type) {
    case 'bearer':
      return put(request, source, 'Authorization', `Bearer ${credential}`)
    case 'basic':
      return put(request, source, 'Authorization', `Basic ${basic(auth.username, credential)}`)
    case 'header':
      return put(request, source, auth.name, `${auth.prefix ?? ''}${credential}`)
    case 'oauth2': {
      // A caller's own credential is an access token already.
      const token = own === undefined ? await source.fetchAccessToken(auth, credential) : credential
      return put(request, source, 'Authorization', `Bearer ${token}`)
    }
    case 'api_key':
      return putKey(request, source, auth, credential)
  }
}

function putKey(
  request: ApiRequest,
  source: CredentialSource,
  { in: place, name }: AuthRule & { readonly type: 'api_key' },
  key: string,
): void {
  if (place === 'header') return put(request, source, name, key)
  if (place === 'query') {
    // Not by `searchParams`: it would write the script's own values anew.
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`
    request.url.search += `${request.url.search ? '&' : '?'}${pair}`
    return
  }
  const before = request.headers.get('Cookie')
  put(request, source, 'Cookie', `${before ? `${before}; ` : ''}${name}=${encodeURIComponent(key)}`)
}

function put(
  request: ApiRequest,
  { redactor }: CredentialSource,
  name: string,
  text: string,
): void {
  redactor.hide(text)
  request.headers.set(name, text)
}

function basic(username: string, password: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))
}

function missing({ name, takesCallerAuth }: ApiInfo): ApiError {
  const advice = takesCallerAuth ? ': pass one as auth with the request' : ''
  return new ApiError('unauthorized', `${name}: there is no credential for this API${advice}`)
}
