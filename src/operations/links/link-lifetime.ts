/** The lifetime of links. */
import * as z from 'zod'
import { MAX_LINK_TTL_S, MIN_LINK_TTL_S } from '../../config.ts'
import type { LinkClaims } from '../../links/link-token.ts'
import type { RequestContext } from '../service.ts'

/** Defaults to the configured lifetime. */
export const ttlField = () =>
  z
    .int('must be a whole number of seconds')
    .min(MIN_LINK_TTL_S, `must be at least ${MIN_LINK_TTL_S}`)
    .max(MAX_LINK_TTL_S, `must be at most ${MAX_LINK_TTL_S}`)
    .optional()
    .describe('Seconds the link lives.')

/** Whole seconds, as in tokens: a response must not state a later expiry than the token has. */
export function lifetimeOf(
  { service }: RequestContext,
  ttlS = service.config.linkTtlS,
): Pick<LinkClaims, 'issuedAt' | 'expiresAt'> {
  const seconds = Math.floor(service.now().getTime() / 1000)
  return { issuedAt: new Date(seconds * 1000), expiresAt: new Date((seconds + ttlS) * 1000) }
}
