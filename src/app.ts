/** The service as one Hono app: its routes, in the order a request meets them. */
import { Hono } from 'hono'
import { every } from 'hono/combine'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { authenticate, requireScope } from './auth/authenticate.ts'
import { tokenVerifier } from './auth/verify-token.ts'
import type { Scope } from './caller.ts'
import type { AppEnv } from './http/app-env.ts'
import { baseUrl } from './http/base-url.ts'
import { refuse } from './http/envelope.ts'
import { execute } from './http/execute.ts'
import { filesIn } from './http/files-in.ts'
import { filesOut } from './http/files-out.ts'
import { fsRoutes } from './http/fs.ts'
import { health } from './http/health.ts'
import { PLAIN_OPERATIONS, plainOperation } from './http/plain-operation.ts'
import { rateLimit, type CountRequest } from './http/rate-limit.ts'
import { respondNotFound, respondWithError } from './http/respond-with-error.ts'
import { linkDeps } from './operations/open-linked.ts'
import type { Service } from './operations/service.ts'

/** Everything the app needs from the place where it runs. */
export interface AppOptions {
  readonly service: Service
  readonly countRequest?: CountRequest | undefined
}

/** Tokens are looked at per route: an unknown route is unknown to everybody. */
export function createApp({ service, countRequest }: AppOptions): Hono<AppEnv> {
  const { config, now, log } = service
  const app = new Hono<AppEnv>()
  app.onError(respondWithError(log))
  app.notFound(respondNotFound)
  app.use(requestId())

  const verify = tokenVerifier(config.auth, now)
  const guarded = (...scopes: readonly Scope[]) =>
    every(authenticate(verify), rateLimit(countRequest), ...scopes.map(requireScope))
  const shared = (allowMethods: string[], ...exposed: string[]) =>
    cors({
      origin: [...config.allowedOrigins],
      allowMethods,
      exposeHeaders: [...exposed, 'Retry-After', 'X-Request-Id'],
    })

  app.route('/', health(service))

  app.use('/execute', shared(['POST'], 'Server-Timing', 'X-Fuel-Used'))
  app.post('/execute', guarded('execute'), execute(service))

  app.use('/fs/*', shared(['GET', 'POST', 'PUT'], 'Accept-Ranges', 'Content-Range', 'ETag'))
  const fs = new Hono<AppEnv>().onError(
    respondWithError(log, (c, _, ...told) => refuse(c, ...told)),
  )
  for (const { method, path, scope, handler } of fsRoutes(service)) {
    fs.on(method, path, guarded(scope), handler)
  }
  app.route('/', fs)

  for (const operation of PLAIN_OPERATIONS) {
    const address = `/${operation.name}`
    app.use(address, shared(['POST']))
    app.post(address, guarded(operation.scope), plainOperation(service, operation))
  }

  const links = linkDeps(service, countRequest)
  const { redirectsLinks } = service
  app.route('/', filesIn({ ...links, log }))
  app.route(
    '/',
    filesOut({ ...links, redirectsLinks, baseUrlOf: (request) => baseUrl(request, config) }),
  )
  return app
}
