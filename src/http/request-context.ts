/** What handlers need of a request, such as the context of an operation. */
import type { Context, MiddlewareHandler } from 'hono'
import type { RequestContext, Service } from '../operations/service.ts'
import type { Config } from '../config.ts'
import type { AppEnv } from './app-env.ts'

/** Use after authentication. */
export function requestContext(c: Context<AppEnv>, service: Service): RequestContext {
  return {
    service,
    caller: c.var.caller,
    requestId: c.var.requestId,
    baseUrl: baseUrl(c.req.raw, service.config),
    signal: c.req.raw.signal,
    headers: c.req.raw.headers,
    memory: c.var.memory,
  }
}

/** As the caller used it, without a trailing slash; trusts only a configured proxy's headers. */
export function baseUrl(request: Request, { publicUrl, trustsProxy }: Config): string {
  if (publicUrl !== undefined) return publicUrl
  const url = new URL(request.url)
  if (trustsProxy) {
    const protocol = forwarded(request, 'X-Forwarded-Proto')
    const host = forwarded(request, 'X-Forwarded-Host')
    if (protocol === 'http' || protocol === 'https') url.protocol = protocol
    if (host) {
      // Otherwise a host without a port would keep this process's own port.
      url.port = ''
      url.host = host
    }
  }
  return url.origin
}

/** The network address of the client; empty if nothing tells. */
export function clientAddress(
  c: Context<AppEnv>,
  { trustsProxy }: Config,
  addressOf?: (c: Context<AppEnv>) => string | undefined,
): string {
  const proxied = trustsProxy ? forwarded(c.req.raw, 'X-Forwarded-For') : undefined
  return proxied ?? addressOf?.(c) ?? ''
}

/** The value added by the nearest proxy: earlier ones may come from the client. */
function forwarded(request: Request, name: string): string | undefined {
  return request.headers.get(name)?.split(',').at(-1)?.trim()
}

/**
 * Keeps work running after the response on platforms that would stop it, and then stores its audit
 * events. Ignores failures: the caller awaits the work and handles them.
 */
export function keepAlive(c: Context<AppEnv>, work: Promise<unknown>): void {
  const storeAudit = () => c.var.storeAudit?.()
  const settled = work.then(storeAudit, storeAudit)
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no execution context: a process keeps running anyway.
  }
}

/** Audit events of a request are stored after its response, which does not wait for them. */
export function storeAuditEvents(storeAudit: () => Promise<void>): MiddlewareHandler<AppEnv> {
  return async function storeAfterwards(c, next) {
    c.set('storeAudit', storeAudit)
    await next()
    keepAlive(c, Promise.resolve())
  }
}
