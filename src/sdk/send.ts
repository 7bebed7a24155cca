/** Sends a request once or, where that is safe and asked for, again; reads no more than it may. */
import type { RunLimits } from '../limits.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './build-request.ts'
import type { ApiBudget } from './budget.ts'
import type { RequestBody } from './request-body.ts'

const MAX_TRIES = 4
const FIRST_PAUSE_MS = 500
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
/** Doing it twice leaves all as doing it once. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const ASKS_TO_WAIT = new Set([429, 503])

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
  /** Ends with the run. */
  readonly signal: AbortSignal
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
    await pause(pauseMs, options.signal)
  }
}

/** Seconds, or a date; `undefined` when the API does not say. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim()
  if (!text) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** @throws {ApiError} `not_allowed` for what is neither TLS nor an allowed API on this machine. */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isLoopback = LOOPBACK.test(url.hostname)
  const isAllowed = isLoopback ? allowsLoopback : url.protocol === 'https:'
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: this service may not call that address`)
  }
}

async function sendOnce(
  name: string,
  { url, method, headers }: ApiRequest,
  body: RequestBody | undefined,
  { fetch, limits, budget, signal }: SendOptions,
  endsAt: number,
): Promise<ReceivedAnswer> {
  budget.countCall()
  const ending = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, endsAt - Date.now()))])
  const all = new Headers(headers)
  if (body?.contentType !== undefined) all.set('Content-Type', body.contentType)
  try {
    // Whoever follows a redirect takes the credential along to where it leads.
    const answer = await fetch(url, {
      method,
      headers: all,
      ...(body && { body: body.content }),
      redirect: 'manual',
      signal: ending,
    })
    if (answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)) {
      await answer.body?.cancel()
      return await refuseRedirect(name, answer.status)
    }
    const bytes = await readCapped(name, answer, limits.apiCallBytes)
    budget.countBytes(bytes.length)
    const { status, statusText } = answer
    return { status, statusText, headers: answer.headers, bytes }
  } catch (error) {
    throw failureOf(name, error, signal, ending, limits)
  }
}

function refuseRedirect(name: string, status: number): never {
  const message = `${name}: the API answered with a redirect, which is not followed`
  throw new ApiError('redirect', message, { status: status || undefined })
}

async function readCapped(name: string, answer: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new ApiError('too_large', `${name}: the answer has more than ${maxBytes} bytes`, {
      status: answer.status,
    })
  const chunks: Uint8Array[] = []
  let length = 0
  // Counted as they come: decompressed, an announced length says nothing.
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function failureOf(
  name: string,
  error: unknown,
  run: AbortSignal,
  ending: AbortSignal,
  { apiCallMs }: RunLimits,
): unknown {
  if (error instanceof ApiError || run.aborted) return error
  if (ending.aborted) {
    return new ApiError('timeout', `${name}: the API did not answer within ${apiCallMs / 1000} s`)
  }
  // Only what fetch and its body throw is the network's; anything else is a limit, or ours.
  const isNetwork = error instanceof TypeError || (error as Error)?.name === 'Error'
  return isNetwork ? new ApiError('network', `${name}: the API could not be reached`) : error
}

function backoffMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
