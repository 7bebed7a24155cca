/** Tokens as a service's own issuer would sign them. */
import { SignJWT } from 'jose'

/** What suites put into `AuthConfig.secret`. */
export const TEST_SECRET = 'known to the tests and nobody else'

/** What a token is signed with, and when. */
export interface TokenOptions {
  readonly secret?: string
  /** From `now` to the token's end; negative for one that is over. */
  readonly ttlS?: number
  readonly now?: Date
}

/** An HS256 token of these claims; `exp` and `iat` are added, and left out where a claim is `undefined`. */
export function signToken(
  claims: Readonly<Record<string, unknown>>,
  { secret = TEST_SECRET, ttlS = 3600, now = new Date() }: TokenOptions = {},
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  return new SignJWT({ iat, exp: iat + ttlS, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(secret))
}
