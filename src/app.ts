/** The Hono app: routes in the order a request meets them. */
import { Hono, type Context } from 'hono'
import { every } from 'hono/combine'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import * as z from 'zod'
import { authenticate, requireScopes } from './auth/authenticate.ts'
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
import { holdMemory } from './http/hold-memory.ts'
import { plainOperation } from './http/plain-operation.ts'
import { countOne, rateLimit, type CountRequest } from './http/rate-limit.ts'
import { keepAlive } from './http/keep-alive.ts'
import { readJson } from './http/request-body.ts'
import { requestContext } from './http/request-context.ts'
import { respondNotFound, respondWithError } from './http/respond-with-error.ts'
import { siteRoutes, type Site } from './http/site.ts'
import { MAX_EXECUTE_BODY_BYTES, MAX_FS_BODY_BYTES, MAX_MCP_BODY_BYTES } from './limits.ts'
import { quoteArgs } from './mcp/quote-args.ts'
import {
  challengeDetails,
  METADATA_PATH,
  refuseRegistration,
  resourceMetadata,
} from './mcp/resource-metadata.ts'
import { allowOrigins, mcp, refuseMessage } from './mcp/route.ts'
import type { ServeModel } from './mcp/server.ts'
import { PLAIN_OPERATIONS } from './operations/file-operations.ts'
import { linkDeps } from './operations/open-linked.ts'
import { scopesOf } from './operations/operation.ts'
import type { Service } from './operations/service.ts'

export interface AppOptions {
  readonly service: Service
  readonly countRequest?: CountRequest | undefined
  /** Web pages; without them there is only the API. */
  readonly site?: Site | undefined
  /** Another MCP server behind the same authentication, for protocol tests. */
  readonly serveModel?: ServeModel | undefined
}

/** Tokens are checked per route, so unknown routes are 404 for everyone. */
export function createApp({ service, countRequest, site, serveModel }: AppOptions): Hono<AppEnv> {
  const { config, now, log } = service
  const app = new Hono<AppEnv>()
  app.onError(respondWithError(log))
  app.notFound(respondNotFound)
  app.use(requestId())

  const verify = tokenVerifier(config.auth, now)
  const guarded = (...scopes: readonly Scope[]) =>
    every(authenticate(verify), rateLimit(countRequest), requireScopes(...scopes))
  const shared = (allowMethods: string[], ...exposed: string[]) =>
    cors({
      origin: [...config.allowedOrigins],
      allowMethods,
      exposeHeaders: [...exposed, 'Retry-After', 'X-Request-Id'],
    })

  app.route('/', health(service))

  app.use('/execute', shared(['POST'], 'Server-Timing', 'X-Fuel-Used'))
  app.post(
    '/execute',
    guarded('execute'),
    holdMemory(service, MAX_EXECUTE_BODY_BYTES),
    execute(service),
  )

  app.use('/fs/*', shared(['GET', 'POST', 'PUT'], 'Accept-Ranges', 'Content-Range', 'ETag'))
  const fs = new Hono<AppEnv>().onError(
    respondWithError(log, (c, _, ...told) => refuse(c, ...told)),
  )
  for (const { method, path, scopes, handler } of fsRoutes(service)) {
    // `/fs/content` streams.
    const holding = method === 'POST' ? [holdMemory(service, MAX_FS_BODY_BYTES)] : []
    fs.on(method, path, guarded(...scopes), ...holding, handler)
  }
  app.route('/', fs)

  for (const operation of PLAIN_OPERATIONS) {
    const address = `/${operation.name}`
    app.use(address, shared(['POST']))
    app.post(
      address,
      guarded(...scopesOf(operation)),
      holdMemory(service, MAX_FS_BODY_BYTES),
      plainOperation(service, operation),
    )
  }

  const { issuer } = config.auth
  const baseUrlOf = (request: Request) => baseUrl(request, config)
  app.use('/mcp', shared(['POST'], 'WWW-Authenticate', 'MCP-Protocol-Version'))
  const models = new Hono<AppEnv>().onError(
    respondWithError(log, refuseMessage, (c) => challengeDetails(baseUrlOf(c.req.raw), issuer)),
  )
  const doors = {
    readBody: (c: Context<AppEnv>) => readJson(c, z.unknown(), MAX_MCP_BODY_BYTES, quoteArgs),
    contextOf: (c: Context<AppEnv>) => requestContext(c, service),
    countMore: (c: Context<AppEnv>) => countOne(countRequest, c.var.caller.tenant),
    keepAlive,
  }
  models.all(
    '/mcp',
    allowOrigins(config.allowedOrigins),
    guarded(),
    holdMemory(service, MAX_MCP_BODY_BYTES),
    mcp(doors, serveModel),
  )
  app.route('/', models)
  if (issuer === undefined) app.post('/register', refuseRegistration)
  else {
    for (const path of [METADATA_PATH, `${METADATA_PATH}/mcp`]) {
      app.use(path, cors({ origin: '*', allowMethods: ['GET'] }))
      app.get(path, (c) => c.json(resourceMetadata(baseUrlOf(c.req.raw), issuer)))
    }
  }

  const links = linkDeps(service, countRequest)
  const { redirectsLinks } = service
  app.route('/', filesIn({ ...links, log }))
  app.route('/', filesOut({ ...links, redirectsLinks, baseUrlOf }))
  if (site) app.route('/', siteRoutes(site))
  return app
}
