/** Bearer tokens that the service on this machine takes. */
import { SignJWT, type JWTPayload } from 'jose'
import type { LocalVars } from './local-vars.ts'

/** Whose token it is, and for how long. */
export interface LocalTokenOptions {
  readonly tenant: string
  readonly user?: string | undefined
  /** Without them, what the service grants. */
  readonly scope?: string | undefined
  /** Negative makes one that has expired. */
  readonly ttlS: number
  /** Further claims; they win. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** @param vars The settings of the service. */
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
