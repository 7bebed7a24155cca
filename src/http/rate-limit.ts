/** Rate limiting per tenant. */
import type { MiddlewareHandler } from 'hono'
import { AppError } from '../errors.ts'
import type { AppEnv } from './app-env.ts'

/** Counts one request of a tenant; resolves to false above the limit. */
export type CountRequest = (tenant: string) => Promise<boolean>

/** Use after authentication. @param count Throws `rate_limited`. */
export function rateLimit(count: (tenant: string) => Promise<void>): MiddlewareHandler<AppEnv> {
  return async function limitRate(c, next) {
    await count(c.var.caller.tenant)
    await next()
  }
}

/** Without a counter there is no limit. @throws {AppError} `rate_limited` */
export async function countOne(count: CountRequest | undefined, tenant: string): Promise<void> {
  if (!count || (await count(tenant))) return
  throw new AppError('rate_limited', 'Too many requests. Try again in a minute.')
}
