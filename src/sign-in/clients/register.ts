/** Dynamic client registration (RFC 7591). */
import { OAuthError } from '../oauth-error.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { clientName } from './client.ts'
import { registeredId } from './find-client.ts'
import { isRedirectUri } from './redirect-uri.ts'

const MAX_URIS = 10
/** Together: they are part of the client's id, which is part of an address. */
const MAX_URIS_LENGTH = 2_000

/** @throws {OAuthError} and {@link AppError} `rate_limited`. */
export async function register(ctx: SignInContext, body: unknown): Promise<object> {
  ctx.attempts.count('registration', ctx.address)
  const { redirect_uris: uris, client_name } = (body ?? {}) as Record<string, unknown>
  if (!Array.isArray(uris) || uris.length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must be a list of addresses.')
  }
  if (!uris.every(isRedirectUri)) {
    const allowed = 'https, http on this machine, or the scheme of an app, without a fragment'
    throw new OAuthError('invalid_redirect_uri', `Each of redirect_uris must be ${allowed}.`)
  }
  if (uris.length > MAX_URIS || uris.join('').length > MAX_URIS_LENGTH) {
    throw new OAuthError('invalid_client_metadata', 'There are too many redirect_uris.')
  }
  const name = clientName(client_name)
  return {
    client_id: await registeredId(ctx, { name, uris }),
    client_id_issued_at: Math.floor(ctx.service.now().getTime() / 1000),
    client_name: name,
    redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
