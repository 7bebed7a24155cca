/** Signs tokens as an issuer would. */
import { SignJWT } from 'jose'

/** The tests' `AuthConfig.secret`. */
export const TEST_SECRET = 'known to the tests and nobody else'

/** Settings that every service of the tests needs. */
export const SECRETS = { AUTH_SECRET: TEST_SECRET, LINK_SECRET: 'signs the links of the tests' }

export interface TokenOptions {
  readonly secret?: string
  /** From `now`; negative for an expired token. */
  readonly ttlS?: number
  readonly now?: Date
}

/** Signs with HS256; adds `exp` and `iat`, unless the claim is `undefined`. */
export function signToken(
  claims: Readonly<Record<string, unknown>>,
  { secret = TEST_SECRET, ttlS = 3600, now = new Date() }: TokenOptions = {},
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  return new SignJWT({ iat, exp: iat + ttlS, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(secret))
}
