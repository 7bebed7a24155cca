/** Protected resource metadata: where clients can get a token (RFC 9728). */
import type { Context } from 'hono'
import { SCOPES } from '../caller.ts'

/** Clients also look below it, at the path of the resource. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Only with an issuer: clients take metadata without one as an invitation to log in here. */
export function resourceMetadata(baseUrl: string, issuer: string) {
  return {
    resource: `${baseUrl}/mcp`,
    resource_name: 'Moonbucket',
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  }
}

/**
 * Some clients answer any 401 by trying to register here and show the response to the user. So this
 * explains the actual problem, in the form of OAuth's errors, which they can read.
 */
export function refuseRegistration(c: Context): Response {
  const error_description =
    'There is no login here. The token is missing, wrong or has expired: send a valid one in the Authorization header.'
  const body = { error: 'invalid_request', error_description }
  return c.json(body, 404, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
}

/**
 * For every challenge of `/mcp`: without a metadata URL, clients do not request a token.
 *
 * @param hasLogin False if tokens are issued manually.
 */
export function challengeDetails(baseUrl: string, hasLogin: boolean): Record<string, string> {
  const scope = SCOPES.join(' ')
  if (!hasLogin) return { scope }
  // A host may contain a quote, which would end the header value.
  const address = `${baseUrl}${METADATA_PATH}/mcp`.replaceAll('"', '%22')
  return { resource_metadata: address, scope }
}
