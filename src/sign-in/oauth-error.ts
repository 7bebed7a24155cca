/** Errors in the form of OAuth, for `/token`, `/register` and `/revoke`. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Errors of RFC 6749, 7009, 7591 and 8707 that clients can act on. */
type OAuthCode =
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'

/** The client's mistake, or a token that is no longer good: always 400. */
export class OAuthError extends Error {
  readonly error: OAuthCode

  /** @param description ASCII without quotes and backslashes, as RFC 6749 requires. */
  constructor(error: OAuthCode, description: string) {
    super(description)
    this.name = 'OAuthError'
    this.error = error
  }
}

/** What every answer with a token or an error has. */
export const NO_STORE = {
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
}

export function answerOAuthError(c: Context, { error, message }: OAuthError): Response {
  return c.json({ error, error_description: message }, 400, NO_STORE)
}

const CODES: Readonly<Record<string, string>> = {
  busy: 'temporarily_unavailable',
  internal: 'server_error',
  keys_unavailable: 'temporarily_unavailable',
  rate_limited: 'temporarily_unavailable',
  storage_unavailable: 'temporarily_unavailable',
}

/** For the service's own errors. */
export function answerFailure(
  c: Context,
  code: string,
  message: string,
  status: ContentfulStatusCode,
): Response {
  const body = { error: CODES[code] ?? 'invalid_request', error_description: message }
  return c.json(body, status, NO_STORE)
}
