/** The door of the HTTP routes: who is calling. */
import type { MiddlewareHandler } from 'hono'
import type { Caller } from '../caller.ts'
import { MissingToken } from '../errors.ts'
import type { VerifyToken } from './verify-token.ts'

/** What handlers behind {@link authenticate} find in `c.var`. */
export interface AuthVariables {
  caller: Caller
}

/** One token in the characters RFC 6750 gives it; two headers, joined by a comma, do not pass for one. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i

/**
 * Lets nobody pass without a token that verifies.
 *
 * The middleware throws {@link MissingToken}, and whatever `verify` throws.
 */
export function authenticate(verify: VerifyToken): MiddlewareHandler<{ Variables: AuthVariables }> {
  return async function authenticateCaller(c, next) {
    const token = BEARER.exec(c.req.header('Authorization') ?? '')?.[1]
    if (token === undefined) throw new MissingToken()
    c.set('caller', await verify(token))
    await next()
  }
}
