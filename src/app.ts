/** The service as one Hono app: its routes, in the order a request meets them. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { authenticate, requireScope } from './auth/authenticate.ts'
import { tokenVerifier } from './auth/verify-token.ts'
import type { AppEnv } from './http/app-env.ts'
import { execute } from './http/execute.ts'
import { filesOut } from './http/files-out.ts'
import { health } from './http/health.ts'
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
    authenticate(tokenVerifier(config.auth, now)),
    rateLimit(countRequest),
    requireScope('execute'),
    execute(service),
  )

  app.route(
    '/',
    filesOut({
      storage,
      layout: areaLayout(config),
      paths: pathRules(config),
      linkSecrets: config.linkSecrets,
      now,
    }),
  )
  return app
}
