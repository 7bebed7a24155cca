/** The routes of sign-in. What they do is loaded with the first request that needs it. */
import { Hono, type Context, type Handler } from 'hono'
import { cors } from 'hono/cors'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { VerifyOwnToken } from '../auth/verify-token.ts'
import type { SignInConfig } from '../config.ts'
import { AppError } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errorPage } from '../http/pages/page-frame.ts'
import { readJson, readText } from '../http/request-body.ts'
import { baseUrl } from '../http/request-context.ts'
import { respondWithError } from '../http/respond-with-error.ts'
import type { FindApiKey } from '../operations/keys/find-api-key.ts'
import type { Service } from '../operations/service.ts'
import { Attempts } from './attempts.ts'
import { PAGE_HEADERS } from './authorize/page-headers.ts'
import { SERVER_METADATA_PATH, serverMetadata } from './metadata.ts'
import { answerFailure, answerOAuthError, NO_STORE, OAuthError } from './oauth-error.ts'
import type { SignInContext } from './sign-in-context.ts'

export interface SignInOptions {
  readonly service: Service
  readonly signIn: SignInConfig
  readonly findApiKey: FindApiKey
  /** Counts a request of an address. @throws {AppError} `rate_limited` */
  readonly countAddress: (address: string) => Promise<void>
  readonly addressOf: (c: Context<AppEnv>) => string
}

const MAX_FORM_BYTES = 16_384
const MAX_REGISTRATION_BYTES = 8_192

/** For requests to any route. */
export function ownTokens(options: Omit<SignInOptions, 'countAddress' | 'addressOf'>) {
  const verifyOwn: VerifyOwnToken = async (token, request) => {
    const { verifyAccessToken } = await import('./tokens/access-token.ts')
    const own = baseUrl(request, options.service.config)
    return verifyAccessToken({ ...options, baseUrl: own }, token)
  }
  return verifyOwn
}

export function signInRoutes(options: SignInOptions): Hono<AppEnv> {
  const { service, countAddress, addressOf } = options
  const attempts = new Attempts(service.now)
  const contextOf = (c: Context<AppEnv>): SignInContext => ({
    ...options,
    attempts,
    baseUrl: baseUrl(c.req.raw, service.config),
    requestId: c.var.requestId,
    address: addressOf(c),
  })
  const counted = (handle: (c: Context<AppEnv>) => Promise<Response>): Handler<AppEnv> =>
    async function countFirst(c) {
      await countAddress(addressOf(c))
      return handle(c)
    }

  const pages = new Hono<AppEnv>().onError(respondWithError(service.log, answerPage))
  pages.get('/authorize', async (c) => {
    const { askPerson } = await import('./authorize/authorize.ts')
    return askPerson(c, contextOf(c))
  })
  pages.post(
    '/authorize',
    counted(async (c) => {
      const { takeAnswer } = await import('./authorize/authorize.ts')
      return takeAnswer(c, contextOf(c), await readForm(c))
    }),
  )
  pages.get('/authorize/callback', async (c) => {
    const { takeBack } = await import('./authorize/issuer.ts')
    return takeBack(c, contextOf(c))
  })

  const respond = respondWithError(service.log, answerFailure)
  const api = new Hono<AppEnv>().onError((error, c) =>
    error instanceof OAuthError ? answerOAuthError(c, error) : respond(error, c),
  )
  // No cookie or other standing right of a browser counts here, so any site may ask.
  for (const path of ['/token', '/register', '/revoke']) {
    api.use(path, cors({ origin: '*', allowMethods: ['POST'] }))
  }
  api.post('/token', async (c) => {
    const { answerTokenRequest } = await import('./tokens/token-endpoint.ts')
    return c.json(await answerTokenRequest(contextOf(c), await readForm(c)), 200, NO_STORE)
  })
  api.post(
    '/register',
    counted(async (c) => {
      const { register } = await import('./clients/register.ts')
      const body = await readJson(c, MAX_REGISTRATION_BYTES)
      return c.json(await register(contextOf(c), body), 201, NO_STORE)
    }),
  )
  api.post('/revoke', async (c) => {
    const { revoke } = await import('./tokens/revoke.ts')
    await revoke(contextOf(c), await readForm(c))
    return c.body(null, 200, NO_STORE)
  })

  const found = new Hono<AppEnv>()
  for (const path of metadataPaths(service.config.publicUrl)) {
    found.use(path, cors({ origin: '*', allowMethods: ['GET'] }))
    found.get(path, (c) => c.json(serverMetadata(contextOf(c).baseUrl)))
  }
  return new Hono<AppEnv>().route('/', found).route('/', api).route('/', pages)
}

/** Some clients append the path of the resource, and all of them that of the issuer. */
function metadataPaths(publicUrl: string | undefined): Set<string> {
  const path = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
  return new Set(['', '/mcp', path, `${path}/mcp`].map((tail) => SERVER_METADATA_PATH + tail))
}

async function readForm(c: Context<AppEnv>): Promise<URLSearchParams> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new AppError('malformed', 'Send application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(await readText(c, MAX_FORM_BYTES))
}

/** For people. Never a redirect: that is for clients whose address was checked. */
function answerPage(
  c: Context,
  _code: string,
  message: string,
  status: ContentfulStatusCode,
): Response {
  const title = status === 429 || status >= 500 ? 'Try again later' : 'This sign-in cannot continue'
  return c.html(errorPage(title, message), status, PAGE_HEADERS)
}
