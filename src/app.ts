/** The Hono app: routes in the order a request meets them. */
import { Hono, type Context } from 'hono'
import { every } from 'hono/combine'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { authenticate } from './auth/authenticate.ts'
import { tokenVerifier } from './auth/verify-token.ts'
import type { AppEnv } from './http/app-env.ts'
import {
  baseUrl,
  clientAddress,
  keepAlive,
  requestContext,
  storeAuditEvents,
} from './http/request-context.ts'
import { refuse } from './http/envelope.ts'
import { linkRoutes } from './http/files/link-routes.ts'
import { uploadRoutes } from './http/files/upload-routes.ts'
import { health } from './http/health.ts'
import { holdMemory } from './http/hold-memory.ts'
import { metricsRoute, type Metrics } from './http/metrics.ts'
import { operationHandler } from './http/operation-handler.ts'
import { countOne, rateLimit, type CountRequest } from './http/rate-limit.ts'
import { readJson } from './http/request-body.ts'
import { respondNotFound, respondWithError } from './http/respond-with-error.ts'
import { COST_HEADERS } from './http/run-response.ts'
import { siteRoutes, type Site } from './http/site.ts'
import { MAX_MCP_BODY_BYTES } from './limits.ts'
import { quoteArgs } from './mcp/quote-args.ts'
import {
  challengeDetails,
  METADATA_PATH,
  refuseRegistration,
  resourceMetadata,
} from './mcp/resource-metadata.ts'
import { allowOrigins, mcp, refuseMessage } from './mcp/route.ts'
import type { ServeModel } from './mcp/server.ts'
import { hasEnvelope } from './operations/envelope.ts'
import { apiKeyFinder } from './operations/keys/known-keys.ts'
import { OPERATIONS } from './operations/registry.ts'
import type { Service } from './operations/service.ts'
import { ownTokens, signInRoutes } from './sign-in/routes.ts'

export interface AppOptions {
  readonly service: Service
  readonly countRequest?: CountRequest | undefined
  /** The network address of a client, by the platform. */
  readonly addressOf?: ((c: Context<AppEnv>) => string | undefined) | undefined
  /** Web pages; without them there is only the API. */
  readonly site?: Site | undefined
  /** For the operator; absent means that there is no such address. */
  readonly metrics?: Metrics | undefined
  /** Another MCP server behind the same authentication, for protocol tests. */
  readonly serveModel?: ServeModel | undefined
}

/** Tokens are checked per route, so unknown routes are 404 for everyone. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { service, countRequest, site, metrics, serveModel } = options
  const { config, now, log } = service
  const app = new Hono<AppEnv>()
  app.onError(respondWithError(log))
  app.notFound(respondNotFound)
  app.use(requestId())
  if (service.storeAudit) app.use(storeAuditEvents(service.storeAudit))

  const findApiKey = apiKeyFinder(service)
  const signIn = config.signIn && { service, signIn: config.signIn, findApiKey }
  const verifyOwn = signIn && ownTokens(signIn)
  const verify = tokenVerifier(config.auth, now, { findIssued: findApiKey, verifyOwn })
  const countTenant = (tenant: string) => countOne(countRequest, tenant)
  const guarded = every(authenticate(verify), rateLimit(countTenant), holdMemory(service))
  const shared = (allowMethods: string[], ...exposed: string[]) =>
    cors({
      origin: [...config.allowedOrigins],
      allowMethods,
      exposeHeaders: [...exposed, 'Retry-After', 'X-Request-Id'],
    })

  app.route('/', health(service))
  if (metrics) app.route('/', metricsRoute(metrics))

  app.use('/fs/*', shared(['GET', 'POST', 'PUT'], 'Accept-Ranges', 'Content-Range', 'ETag'))
  const fs = new Hono<AppEnv>().onError(respondWithError(log, refuse))
  for (const operation of OPERATIONS) {
    const [method, template] = operation.route?.split(' ') ?? []
    if (!method || !template) continue
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1').replaceAll(/\{(\w+)\+\}/g, ':$1{[^]+}')
    const handler = operationHandler(service, operation)
    if (hasEnvelope(operation)) {
      fs.on(method, path, guarded, handler)
      continue
    }
    const { eventsPath, isRun } = operation
    const exposed = isRun ? [...COST_HEADERS, 'Location'] : []
    for (const each of eventsPath ? [path, eventsPath] : [path]) {
      app.use(each, shared(methodsOf(template), ...exposed)).on(method, each, guarded, handler)
    }
  }
  app.route('/', fs)

  const { issuer } = config.auth
  const hasLogin = issuer !== undefined || signIn !== undefined
  const baseUrlOf = (request: Request) => baseUrl(request, config)
  app.use('/mcp', shared(['POST'], 'WWW-Authenticate', 'MCP-Protocol-Version'))
  const models = new Hono<AppEnv>().onError(
    respondWithError(log, refuseMessage, (c) => challengeDetails(baseUrlOf(c.req.raw), hasLogin)),
  )
  const mcpHooks = {
    readBody: (c: Context<AppEnv>) => readJson(c, MAX_MCP_BODY_BYTES, { prepare: quoteArgs }),
    // Headers of a message say nothing about the runs of its tools.
    contextOf: (c: Context<AppEnv>) => ({ ...requestContext(c, service), headers: undefined }),
    countMore: (c: Context<AppEnv>) => countTenant(c.var.caller.tenant),
    keepAlive,
  }
  models.all('/mcp', allowOrigins(config.allowedOrigins), guarded, mcp(mcpHooks, serveModel))
  app.route('/', models)
  if (!hasLogin) app.post('/register', refuseRegistration)
  else {
    for (const path of [METADATA_PATH, `${METADATA_PATH}/mcp`]) {
      app.use(path, cors({ origin: '*', allowMethods: ['GET'] }))
      app.get(path, (c) => {
        const own = baseUrlOf(c.req.raw)
        return c.json(resourceMetadata(own, signIn ? own : issuer!))
      })
    }
  }
  if (signIn) {
    const addressOf = (c: Context<AppEnv>) => clientAddress(c, config, options.addressOf)
    const countAddress = (address: string) => countOne(countRequest, `sign-in ${address}`)
    app.route('/', signInRoutes({ ...signIn, countAddress, addressOf }))
  }

  const links = { service, countRequest: countTenant }
  app.route('/', linkRoutes(links)).route('/', uploadRoutes(links))
  if (site) app.route('/', siteRoutes(site))
  return app
}

/** All that share a path: the first to answer a browser's preflight answers for all. */
function methodsOf(path: string): string[] {
  const routes = OPERATIONS.map(({ route }) => route?.split(' ') ?? [])
  return routes.flatMap(([method, own]) => (method !== undefined && own === path ? [method] : []))
}
