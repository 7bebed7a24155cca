/** Builds the operation context of a request. */
import type { Context } from 'hono'
import type { RequestContext, Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { baseUrl } from './base-url.ts'

/** Use after authentication. */
export function requestContext(c: Context<AppEnv>, service: Service): RequestContext {
  return {
    service,
    caller: c.var.caller,
    requestId: c.var.requestId,
    baseUrl: baseUrl(c.req.raw, service.config),
    signal: c.req.raw.signal,
    memory: c.var.memory,
  }
}
