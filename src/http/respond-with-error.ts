/** Turns thrown errors into error responses. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import {
  AppError,
  InsufficientScope,
  INTERNAL_ERROR,
  isDenial,
  MissingToken,
  RetryLater,
  type ErrorCode,
} from '../errors.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import { errorPage } from './pages/page-frame.ts'
import type { AppEnv } from './app-env.ts'

/** `satisfies` makes a code without a status a type error. */
export const HTTP_STATUS = {
  busy: 503,
  conflict: 409,
  forbidden: 403,
  invalid_path: 400,
  invalid_request: 422,
  keys_unavailable: 503,
  malformed: 400,
  not_found: 404,
  quota_exceeded: 507,
  rate_limited: 429,
  storage_unavailable: 503,
  too_large: 413,
  unauthenticated: 401,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>

/** Seconds until a retry may succeed. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  busy: 5,
  keys_unavailable: 30,
  rate_limited: 60,
  storage_unavailable: 10,
}

/** The error response format of a group of routes. */
type AnswerFailure = (
  c: Context<AppEnv>,
  code: string,
  message: string,
  status: ContentfulStatusCode,
) => Response

/** Additional parameters of a `WWW-Authenticate` challenge. */
type ChallengeDetails = Readonly<Record<string, string>>

/** Error handler for the app or for routes with their own format; logs refusals and faults. */
export function respondWithError(
  log: (event: LogEvent) => void,
  answer: AnswerFailure = answerFailure,
  challengeDetails: (c: Context<AppEnv>) => ChallengeDetails = () => ({}),
) {
  return function errorResponse(error: Error, c: Context<AppEnv>): Response {
    const requestId = c.var.requestId
    if (!(error instanceof AppError)) {
      // Details go to the log only: an unexpected message may contain a key or a path.
      logFault(error)
      return answer(c, 'internal', INTERNAL_ERROR, 500)
    }
    const status = HTTP_STATUS[error.code]
    if (error.cause !== undefined && status >= 500) logFault(error)
    if (isDenial(error)) {
      log({
        event: 'denied',
        request_id: requestId,
        status,
        reason: error.message,
        method: c.req.method,
        route: c.req.path,
        tenant: c.var.caller?.tenant,
        user: c.var.caller?.user,
      })
    }
    const retryAfter = error instanceof RetryLater ? error.afterS : RETRY_AFTER[error.code]
    if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
    const challenge = challengeFor(error)
    if (challenge) {
      c.header('WWW-Authenticate', headerOf({ ...challengeDetails(c), ...challenge }))
    }
    return answer(c, error.code, error.message, status)

    function logFault(fault: Error): void {
      log(faultEvent(requestId, `${c.req.method} ${c.req.path}`, fault))
    }
  }
}

/** For unmatched routes; no token is checked. */
export function respondNotFound(c: Context<AppEnv>): Response {
  return answerFailure(c, 'not_found', 'There is nothing at this address.', 404)
}

/** RFC 6750: without a token, the challenge has no error code. */
function challengeFor(error: AppError): ChallengeDetails | undefined {
  if (error instanceof MissingToken) return {}
  if (error instanceof InsufficientScope) {
    return { error: 'insufficient_scope', scope: error.scope }
  }
  return error.code === 'unauthenticated' ? { error: 'invalid_token' } : undefined
}

function headerOf(details: ChallengeDetails): string {
  const parameters = Object.entries({ realm: 'moonbucket', ...details })
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

/** HTML for browsers that opened a link or a wrong address, JSON otherwise. */
function answerFailure(
  c: Context<AppEnv>,
  code: string,
  message: string,
  status: ContentfulStatusCode,
): Response {
  c.header('Cache-Control', 'no-store')
  c.header('X-Content-Type-Options', 'nosniff')
  const isPage =
    c.req.path.startsWith('/files/') || (code === 'not_found' && c.req.method === 'GET')
  if (isPage && c.req.header('Accept')?.includes('text/html')) {
    c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
    return c.html(errorPage(titleOf(status), message), status)
  }
  return c.json({ error: { code, message, request_id: c.var.requestId } }, status)
}

function titleOf(status: number): string {
  if (status === 403) return 'This link cannot be opened'
  if (status === 429) return 'Try again later'
  if (status === 404) return 'Not found'
  if (status === 409) return 'This link takes no more'
  if (status === 413) return 'Too large'
  if (status === 507) return 'There is no room left'
  return status < 500 ? 'This link is broken' : 'Try again later'
}
