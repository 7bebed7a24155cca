/** Sends a request within the limits of its run, retrying where that is safe and requested. */
import { pause } from '../../lib/abort.ts'
import { copyOf } from '../../storage/object-body.ts'
import type { RunApisOptions } from './run-apis.ts'
import type { RunLimits } from '../../limits.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './build-request.ts'
import type { RequestBody } from './request-body.ts'
import { LimitReached } from '../../vm/script-error.ts'

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

interface SendOptions extends Pick<
  RunApisOptions,
  'fetch' | 'limits' | 'allowsLoopback' | 'ending'
> {
  readonly budget: ApiBudget
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

export class ApiBudget {
  readonly #limits: RunLimits
  #calls = 0
  #bytes = 0

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  /** @throws {LimitReached} */
  countCall(): void {
    const { apiCalls } = this.#limits
    if (this.#calls >= apiCalls) throw new LimitReached(`too many API calls (max ${apiCalls})`)
    this.#calls++
  }

  /** @throws {LimitReached} */
  countBytes(bytes: number): void {
    const { apiBytes } = this.#limits
    this.#bytes += bytes
    if (this.#bytes > apiBytes) throw new LimitReached(`too many bytes from APIs (max ${apiBytes})`)
  }
}

/** This machine's names, in URL syntax. */
const LOOPBACK =
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/

/**
 * The addresses this service may call, whatever a catalog says.
 *
 * @throws {ApiError} `not_allowed` unless the URL is HTTPS or an allowed loopback address.
 */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isSafe = url.protocol === 'https:'
  const isAllowed = LOOPBACK.test(url.hostname)
    ? allowsLoopback && (isSafe || url.protocol === 'http:')
    : isSafe
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: calls to this address are not allowed`)
  }
}

/** Called per chunk; stops the reading by throwing, or by returning true. */
export type OnBytes = (piece: Uint8Array) => boolean | void

/** Counts decompressed bytes: Content-Length cannot be trusted. */
export async function readCapped(answer: Response, onBytes: OnBytes): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body ?? []) {
    pieces.push(piece)
    if (onBytes(piece) === true) break
  }
  return copyOf(pieces)
}

/** `undefined` if absent or unreadable. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // `Date.parse` accepts almost any text with a number in it.
  if (!/^[A-Z][a-z]+, .+ GMT$/.test(text)) return undefined
  const ms = Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
