/** Sends a request, retrying where that is safe and requested; caps the response body. */
import { pause, type Ending } from '../../lib/abort.ts'
import type { RunLimits } from '../../limits.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './build-request.ts'
import type { ApiBudget } from './budget.ts'
import { assertMayReach } from './may-reach.ts'
import { readCapped, type OnBytes } from './read-capped.ts'
import type { RequestBody } from './request-body.ts'
import { retryAfterMs } from './retry-after.ts'

const MAX_TRIES = 4
const FIRST_PAUSE_MS = 500
/** Idempotent methods. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const RETRY_STATUSES = new Set([429, 503])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A response with its whole body. */
export interface ApiResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
}

export interface SendOptions {
  readonly fetch: typeof fetch
  readonly limits: RunLimits
  readonly budget: ApiBudget
  /** Also allows plain HTTP. */
  readonly allowsLoopback: boolean
  readonly ending: Ending
  /** Inspects the body as it arrives, for streams that end with a known message. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
}

/** @throws {ApiError} {@link LimitReached} */
export async function send(
  name: string,
  request: ApiRequest,
  body: RequestBody | undefined,
  options: SendOptions,
): Promise<ApiResponse> {
  assertMayReach(name, request.url, options.allowsLoopback)
  const deadline = Date.now() + options.limits.apiCallMs
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(name, request, body, options, deadline)
    const mayRetry = IDEMPOTENT.has(request.method) && RETRY_STATUSES.has(answer.status)
    if (!mayRetry || tries === MAX_TRIES) return answer
    const pauseMs = retryAfterMs(answer.headers) ?? backoffMs(tries)
    if (Date.now() + pauseMs >= deadline) return answer
    await pause(pauseMs, options.ending.signal)
  }
}

async function sendOnce(
  name: string,
  { url, method, headers }: ApiRequest,
  body: RequestBody | undefined,
  options: SendOptions,
  deadline: number,
): Promise<ApiResponse> {
  const { fetch, limits, budget } = options
  const run = options.ending.signal
  run.throwIfAborted()
  budget.countCall()
  const timeout = AbortSignal.timeout(Math.max(0, deadline - Date.now()))
  const all = new Headers(headers)
  if (body?.contentType !== undefined) all.set('Content-Type', body.contentType)
  try {
    // Following a redirect would send the credential along.
    const answer = await fetch(url, {
      method,
      headers: all,
      ...(body && { body: body.content }),
      redirect: 'manual',
      signal: AbortSignal.any([run, timeout]),
    })
    const { status, statusText } = answer
    if (answer.type === 'opaqueredirect' || REDIRECTS.has(status)) {
      await answer.body?.cancel()
      throw redirected(name, status)
    }
    const bytes = await readCapped(answer, byteCounter(name, answer, options))
    return { status, statusText, headers: answer.headers, bytes }
  } catch (error) {
    if (run.aborted || error instanceof ApiError || !isNetworkError(error)) throw error
    if (!timeout.aborted) throw new ApiError('network', `${name}: the API could not be reached`)
    const seconds = limits.apiCallMs / 1000
    throw new ApiError('timeout', `${name}: the API did not answer within ${seconds} s`)
  }
}

function redirected(name: string, status: number): ApiError {
  const message = `${name}: the API sent a redirect, which is not followed`
  return new ApiError('redirect', message, { status: status || undefined })
}

function byteCounter(
  name: string,
  answer: Response,
  { limits, budget, watch }: SendOptions,
): OnBytes {
  const watching = watch?.(answer.headers)
  const { status } = answer
  let length = 0
  return (piece) => {
    budget.countBytes(piece.length)
    length += piece.length
    if (length > limits.apiCallBytes) {
      const message = `${name}: the response is larger than ${limits.apiCallBytes} bytes`
      throw new ApiError('too_large', message, { status })
    }
    return watching?.(piece)
  }
}

/** Only fetch and body errors count as network errors; the rest are limits or bugs. */
function isNetworkError(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof DOMException) return true
  return error instanceof Error && error.name === 'Error'
}

function backoffMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}
