/** Middleware for authentication. */
import type { MiddlewareHandler } from 'hono'
import type { Caller } from '../caller.ts'
import { MissingToken } from '../errors.ts'
import type { VerifyToken } from './verify-token.ts'

/** Set by {@link authenticate}. */
export interface AuthVariables {
  caller: Caller
}

/** RFC 6750's characters; two headers joined by a comma do not match. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i

/** Requires a valid token. The middleware throws {@link MissingToken}, and what `verify` throws. */
export function authenticate(verify: VerifyToken): MiddlewareHandler<{ Variables: AuthVariables }> {
  return async function authenticateCaller(c, next) {
    const token = BEARER.exec(c.req.header('Authorization') ?? '')?.[1]
    if (token === undefined) throw new MissingToken()
    c.set('caller', await verify(token, c.req.raw))
    await next()
  }
}
