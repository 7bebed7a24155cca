/** How a client without a good token finds out where to get one (RFC 9728). */
import { SCOPES } from '../caller.ts'
import { AppError } from '../errors.ts'

/** Clients look here and below it, at the path of the resource. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Only where there is an issuer: clients take metadata without one for a hint to log in right here. */
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
 * Some clients take any 401 for a hint to log in, look for a server here and show what it says to
 * their registration. So it says what is wrong; the address is as unknown as any other.
 */
export function refuseRegistration(): never {
  const message =
    'There is no login here. The token is missing, wrong or has expired: send a valid one in the Authorization header.'
  throw new AppError('not_found', message)
}

/**
 * Goes into every challenge of `/mcp`: without an address, clients give up instead of asking for a token.
 *
 * @param issuer Absent where tokens are handed out by hand, and there is nowhere to ask.
 */
export function challengeDetails(
  baseUrl: string,
  issuer: string | undefined,
): Record<string, string> {
  const scope = SCOPES.join(' ')
  if (issuer === undefined) return { scope }
  // A host may hold a quote, which would end the value in the header.
  const address = `${baseUrl}${METADATA_PATH}/mcp`.replaceAll('"', '%22')
  return { resource_metadata: address, scope }
}
