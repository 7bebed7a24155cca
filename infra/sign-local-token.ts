/** Signs bearer tokens for the local service. */
import { SignJWT, type JWTPayload } from 'jose'
import type { LocalVars } from './dev/local-vars.ts'

export interface LocalTokenOptions {
  readonly tenant: string
  readonly user?: string | undefined
  /** Default: the service's default scopes. */
  readonly scope?: string | undefined
  /** Negative for an expired token. */
  readonly ttlS: number
  /** Extra claims; they override. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** @param vars The service's settings. */
export function signLocalToken(vars: LocalVars, options: LocalTokenOptions): Promise<string> {
  const { tenant, user, scope, ttlS, claims } = options
  const issuedAt = Math.floor(Date.now() / 1000)
  const payload: JWTPayload = {
    [vars.AUTH_TENANT_CLAIM || 'tenant']: tenant,
    ...(user && { sub: user }),
    ...(scope !== undefined && { scope }),
    ...(vars.AUTH_ISSUER && { iss: vars.AUTH_ISSUER }),
    ...(vars.AUTH_AUDIENCE && { aud: vars.AUTH_AUDIENCE }),
    iat: issuedAt,
    exp: issuedAt + ttlS,
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(vars.AUTH_SECRET))
}
