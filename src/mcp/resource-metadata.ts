/** How a client without a good token finds out where to get one (RFC 9728). */
import { SCOPES } from '../caller.ts'

/** Clients look here and below it, at the path of the resource. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** @param issuer Absent where tokens are handed out by hand. */
export function resourceMetadata(baseUrl: string, issuer: string | undefined) {
  return {
    resource: `${baseUrl}/mcp`,
    resource_name: 'Moonbucket',
    ...(issuer !== undefined && { authorization_servers: [issuer] }),
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  }
}

/** Goes into every challenge of `/mcp`: without it, clients give up instead of asking for a token. */
export function challengeDetails(baseUrl: string): Record<string, string> {
  // A host may hold a quote, which would end the value in the header.
  const address = `${baseUrl}${METADATA_PATH}/mcp`.replaceAll('"', '%22')
  return { resource_metadata: address, scope: SCOPES.join(' ') }
}
