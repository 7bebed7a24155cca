/** The service as one Hono app: its routes, in the order a request meets them. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { authenticate, requireScope } from './auth/authenticate.ts'
import { tokenVerifier } from './auth/verify-token.ts'
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
import { areaLayout, pathRules, type Service } from './operations/service.ts'

/** Everything the app needs from the place where it runs. */
export interface AppOptions {
  readonly service: Service
  readonly countRequest?: CountRequest | undefined
}

/** Tokens are looked at per route: an unknown route is unknown to everybody. */
export function createApp({ service, countRequest }: AppOptions): Hono<AppEnv> {
  const { config, storage, now, log } = service
  const app = new Hono<AppEnv>()
  app.onError(respondWithError(log))
  app.notFound(respondNotFound)
  app.use(requestId())

  const verify = tokenVerifier(config.auth, now)

  app.route('/', health(service))

  app.use(
    '/execute',
    cors({
      origin: [...config.allowedOrigins],
      allowMethods: ['POST'],
      exposeHeaders: ['Retry-After', 'Server-Timing', 'X-Fuel-Used', 'X-Request-Id'],
    }),
  )
  app.post(
    '/execute',
    authenticate(verify),
    rateLimit(countRequest),
    requireScope('execute'),
    execute(service),
  )

  app.use(
    '/fs/*',
    cors({
      origin: [...config.allowedOrigins],
      allowMethods: ['GET', 'POST', 'PUT'],
      exposeHeaders: ['Accept-Ranges', 'Content-Range', 'ETag', 'Retry-After', 'X-Request-Id'],
    }),
  )
  const fs = new Hono<AppEnv>().onError(
    respondWithError(log, (c, _, ...told) => refuse(c, ...told)),
  )
  for (const { method, path, scope, handler } of fsRoutes(service)) {
    fs.on(method, path, authenticate(verify), rateLimit(countRequest), requireScope(scope), handler)
  }
  app.route('/', fs)

  for (const operation of PLAIN_OPERATIONS) {
    const address = `/${operation.name}`
    app.use(address, cors({ origin: [...config.allowedOrigins], allowMethods: ['POST'] }))
    app.post(
      address,
      authenticate(verify),
      rateLimit(countRequest),
      requireScope(operation.scope),
      plainOperation(service, operation),
    )
  }

  app.route('/', filesIn(service))
  app.route(
    '/',
    filesOut({
      storage,
      layout: areaLayout(config),
      paths: pathRules(config),
      linkSecrets: config.linkSecrets,
      now,
      baseUrlOf: (request) => baseUrl(request, config),
      redirectsLinks: service.redirectsLinks,
    }),
  )
  return app
}
