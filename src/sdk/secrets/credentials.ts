/** Adds a credential to a request: the operator's secret, or the caller's own. */
import { ApiError } from '../call/api-error.ts'
import { isHeaderName, isHeaderText, type ApiRequest } from '../call/build-request.ts'
import type { ApiInfo, AuthRule, OAuthRule } from '../catalog/catalog.ts'
import type { Redactor } from './redact.ts'
import { toBase64 } from '../../lib/encode.ts'

/** A token or key, or a username and password. */
export type CallerCredential = string | { readonly username: string; readonly password: string }

/** Returns a cached or fresh client-credentials token. @throws {ApiError} */
export type FetchAccessToken = (wanted: {
  /** For error messages. */
  readonly api: string
  readonly rule: OAuthRule
  readonly clientSecret: string
  readonly signal: AbortSignal
  /** A token the API rejected: do not return it again. */
  readonly refused?: string | undefined
}) => Promise<string>

export interface CredentialSource {
  secretOf(name: string): string | undefined
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  accessTokenOf(api: ApiInfo, rule: OAuthRule, clientSecret: string): Promise<string>
  readonly redactor: Redactor
}

/** For callers' credentials where the operator configured none. */
const DEFAULT_RULE: AuthRule = { type: 'bearer', secret: '' }

/** @throws {ApiError} `unauthorized` if there is none, or it cannot be sent. */
export async function addCredential(
  request: ApiRequest,
  api: ApiInfo,
  source: CredentialSource,
): Promise<void> {
  const own = api.takesCallerAuth ? source.callerAuth.get(api.name) : undefined
  const auth = api.auth ?? (own === undefined ? undefined : DEFAULT_RULE)
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
      // A caller's credential already is an access token.
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
    // Not `searchParams`: it would re-encode the script's own values.
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`
    request.url.search += `${request.url.search ? '&' : '?'}${pair}`
    return
  }
  const before = request.headers.get('Cookie')
  put(request, api, 'Cookie', `${before ? `${before}; ` : ''}${name}=${encodeURIComponent(key)}`)
}

/** The username is not hidden: it may occur anywhere in the data. */
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

/** Checked first: errors of `Headers` contain the value. */
function put({ headers }: ApiRequest, api: ApiInfo, name: string, text: string): void {
  if (!isHeaderText(text) || !isHeaderName(name)) {
    throw new ApiError('unauthorized', `${api.name}: the credential cannot be sent as a header`)
  }
  headers.set(name, text)
}

function missing({ name, takesCallerAuth }: ApiInfo): ApiError {
  const advice = takesCallerAuth ? ': pass one as auth with the request' : ''
  return new ApiError('unauthorized', `${name}: no credential for this API${advice}`)
}
