/** Sends a request once or, where that is safe and asked for, again; reads no more than it may. */
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
/** Doing it twice leaves all as doing it once. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const ASKS_TO_WAIT = new Set([429, 503])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** An answer that has arrived whole. */
export interface ReceivedAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** The world outside, and what a run may take of it. */
export interface SendOptions {
  readonly fetch: typeof fetch
  readonly limits: RunLimits
  readonly budget: ApiBudget
  /** Whether APIs on this machine may be called, without TLS too. */
  readonly allowsLoopback: boolean
  /** The end of the run. */
  readonly ending: Ending
  /** Looks at what has arrived of an answer, for those that say when they are complete. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
}

/** @throws {ApiError} {@link LimitReached} */
export async function send(
  name: string,
  request: ApiRequest,
  body: RequestBody | undefined,
  options: SendOptions,
): Promise<ReceivedAnswer> {
  assertMayReach(name, request.url, options.allowsLoopback)
  const endsAt = Date.now() + options.limits.apiCallMs
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(name, request, body, options, endsAt)
    const mayRepeat = REPEATABLE.has(request.method) && ASKS_TO_WAIT.has(answer.status)
    if (!mayRepeat || tries === MAX_TRIES) return answer
    const pauseMs = retryAfterMs(answer.headers) ?? backoffMs(tries)
    if (Date.now() + pauseMs >= endsAt) return answer
    await pause(pauseMs, options.ending.signal)
  }
}

async function sendOnce(
  name: string,
  { url, method, headers }: ApiRequest,
  body: RequestBody | undefined,
  options: SendOptions,
  endsAt: number,
): Promise<ReceivedAnswer> {
  const { fetch, limits, budget } = options
  const run = options.ending.signal
  run.throwIfAborted()
  budget.countCall()
  const late = AbortSignal.timeout(Math.max(0, endsAt - Date.now()))
  const all = new Headers(headers)
  if (body?.contentType !== undefined) all.set('Content-Type', body.contentType)
  try {
    // Whoever follows a redirect takes the credential along to where it leads.
    const answer = await fetch(url, {
      method,
      headers: all,
      ...(body && { body: body.content }),
      redirect: 'manual',
      signal: AbortSignal.any([run, late]),
    })
    const { status, statusText } = answer
    if (answer.type === 'opaqueredirect' || REDIRECTS.has(status)) {
      await answer.body?.cancel()
      throw redirected(name, status)
    }
    const bytes = await readCapped(answer, counting(name, answer, options))
    return { status, statusText, headers: answer.headers, bytes }
  } catch (error) {
    if (run.aborted || error instanceof ApiError || !isNetworks(error)) throw error
    if (!late.aborted) throw new ApiError('network', `${name}: the API could not be reached`)
    const seconds = limits.apiCallMs / 1000
    throw new ApiError('timeout', `${name}: the API did not answer within ${seconds} s`)
  }
}

function redirected(name: string, status: number): ApiError {
  const message = `${name}: the API answered with a redirect, which is not followed`
  return new ApiError('redirect', message, { status: status || undefined })
}

function counting(name: string, answer: Response, { limits, budget, watch }: SendOptions): OnBytes {
  const watching = watch?.(answer.headers)
  const { status } = answer
  let length = 0
  return (piece) => {
    budget.countBytes(piece.length)
    length += piece.length
    if (length > limits.apiCallBytes) {
      const message = `${name}: the answer has more than ${limits.apiCallBytes} bytes`
      throw new ApiError('too_large', message, { status })
    }
    return watching?.(piece)
  }
}

/** Only what fetch and its body throw is the network's; anything else is a limit, or ours. */
function isNetworks(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof DOMException) return true
  return error instanceof Error && error.name === 'Error'
}

function backoffMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}
