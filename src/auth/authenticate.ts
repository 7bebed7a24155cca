/** The doors of the HTTP routes: who is calling, and may they. */
import type { MiddlewareHandler } from 'hono'
import { assertScopes, type Caller, type Scope } from '../caller.ts'
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

/** Behind {@link authenticate}: refuses callers without the scopes before their body is read. */
export function requireScopes(
  ...needed: readonly Scope[]
): MiddlewareHandler<{ Variables: AuthVariables }> {
  return async function checkScopes(c, next) {
    assertScopes(c.var.caller, needed)
    await next()
  }
}
