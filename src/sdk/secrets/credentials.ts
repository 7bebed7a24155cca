/** Puts a credential on a request: the operator's by the name of a secret, or the caller's own. */
import { ApiError } from '../call/api-error.ts'
import { isHeaderName, isHeaderText, type ApiRequest } from '../call/build-request.ts'
import type { ApiInfo, AuthRule } from '../catalog/catalog.ts'
import type { Redactor } from './redact.ts'
import { toBase64 } from '../../lib/encode.ts'

/** What a caller brings for one API: a token or key, or a name and password. */
export type CallerCredential = string | { readonly username: string; readonly password: string }

/** Gets an access token for the client; kept until shortly before it expires. @throws {ApiError} */
export type FetchAccessToken = (wanted: {
  /** For messages. */
  readonly api: string
  readonly rule: AuthRule & { readonly type: 'oauth2' }
  readonly clientSecret: string
  readonly signal: AbortSignal
  /** The API took it no longer. */
  readonly refused?: string | undefined
}) => Promise<string>

/** Where credentials come from in one run. */
export interface CredentialSource {
  /** The value of a secret by its name. */
  secretOf(name: string): string | undefined
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  accessTokenOf(
    api: ApiInfo,
    rule: AuthRule & { readonly type: 'oauth2' },
    clientSecret: string,
  ): Promise<string>
  readonly redactor: Redactor
}

/** Sent where a caller has one and the operator did not say how. */
const BY_DEFAULT: AuthRule = { type: 'bearer', secret: '' }

/** @throws {ApiError} `unauthorized` when there is none, or none that can be sent. */
export async function addCredential(
  request: ApiRequest,
  api: ApiInfo,
  source: CredentialSource,
): Promise<void> {
  const own = api.takesCallerAuth ? source.callerAuth.get(api.name) : undefined
  const auth = api.auth ?? (own === undefined ? undefined : BY_DEFAULT)
  if (!auth) return
  const secret = auth.secret === '' ? undefined : source.secretOf(auth.secret)
  const credential = own ?? secret
  if (credential === undefined) throw missing(api)
  if (typeof credential !== 'string') {
    return putBasic(request, api, source, credential.username, credential.password)
  }
  source.redactor.hide(credential)
  switch (auth.type) {
    case 'bearer':
      return put(request, api, 'Authorization', `Bearer ${credential}`)
    case 'basic':
      return putBasic(request, api, source, auth.username, credential)
    case 'header':
      return put(request, api, auth.name, `${auth.prefix ?? ''}${credential}`)
    case 'oauth2': {
      // A caller's own credential is an access token already.
      const isToken = own !== undefined
      const token = isToken ? credential : await source.accessTokenOf(api, auth, credential)
      source.redactor.hide(token)
      return put(request, api, 'Authorization', `Bearer ${token}`)
    }
    case 'api_key':
      return putKey(request, api, auth, credential)
  }
}

function putKey(
  request: ApiRequest,
  api: ApiInfo,
  { in: place, name }: AuthRule & { readonly type: 'api_key' },
  key: string,
): void {
  if (place === 'header') return put(request, api, name, key)
  if (place === 'query') {
    // Not by `searchParams`: it would write the script's own values anew.
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`
    request.url.search += `${request.url.search ? '&' : '?'}${pair}`
    return
  }
  const before = request.headers.get('Cookie')
  put(request, api, 'Cookie', `${before ? `${before}; ` : ''}${name}=${encodeURIComponent(key)}`)
}

/** The name is no secret: it may be all over the data. */
function putBasic(
  request: ApiRequest,
  api: ApiInfo,
  { redactor }: CredentialSource,
  username: string,
  password: string,
): void {
  const pair = `${username}:${password}`
  redactor.hide(password)
  redactor.hide(pair)
  put(request, api, 'Authorization', `Basic ${toBase64(new TextEncoder().encode(pair))}`)
}

/** What `Headers` throws holds the value, so it must not come to that. */
function put({ headers }: ApiRequest, api: ApiInfo, name: string, text: string): void {
  if (!isHeaderText(text) || !isHeaderName(name)) {
    throw new ApiError('unauthorized', `${api.name}: the credential cannot be sent as a header`)
  }
  headers.set(name, text)
}

function missing({ name, takesCallerAuth }: ApiInfo): ApiError {
  const advice = takesCallerAuth ? ': pass one as auth with the request' : ''
  return new ApiError('unauthorized', `${name}: there is no credential for this API${advice}`)
}
