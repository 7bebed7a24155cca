/** Sends a request within the limits of its run, retrying where that is safe and requested. */
import { anySignal, pause } from '../../lib/abort.ts'
import { readPieces, type PieceReader } from '../../storage/read-stream.ts'
import type { RunApisOptions } from './run-apis.ts'
import type { ApiBudget } from './api-budget.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './build-request.ts'
import { assertMayReach } from './may-reach.ts'
import { readCapped, type OnBytes } from './read-capped.ts'
import { Redirects, REDIRECTS } from './redirects.ts'
import type { RequestBody } from './request-body.ts'
import { backoffMs, retryAfterMs } from './retry-pause.ts'

const MAX_TRIES = 4
/** Idempotent methods. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const RETRY_STATUSES = new Set([429, 503])

/** As it arrives, and as a whole. */
const RESPONSE_COPIES = 2
/** Ordinary overhead of a run. */
const UNCOUNTED_BYTES = 64 * 1024
const HELD_STEP_BYTES = 256 * 1024

/** What all runtimes decompress; anything else would be taken for the content. */
const ENCODINGS = ['gzip', 'br']
const COMPRESSED = /gzip|compress|deflate|\bbr\b|zstd|dc[bz]/i

/** What is used of `fetch` and of its response. */
export type Fetch = (url: string | URL, init: RequestInit) => Promise<Fetched>
type Fetched = Pick<Response, 'status' | 'statusText' | 'ok' | 'type' | 'headers' | 'body'>

interface ResponseHead {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
}

/** A response with its whole body. */
export interface ApiResponse extends ResponseHead {
  readonly bytes: Uint8Array
}

/** A response whose body is still to be read, once. */
export interface OpenResponse extends ResponseHead {
  /**
   * Waits for each piece as long as for a whole call; each is valid until the next.
   *
   * @throws {ApiError} if the body breaks off.
   */
  body(): AsyncIterable<Uint8Array>
  /**
   * Reads the body into memory. @throws {ApiError} {@link LimitReached}
   *
   * @param isForVm Whether it counts as read by the script; true by default.
   */
  whole(isForVm?: boolean): Promise<ApiResponse>
  cancel(): Promise<void>
}

/** A redirect that was followed, for the log: never with a query. */
export interface RedirectEvent {
  readonly function: string
  readonly status: number
  readonly from: string
  readonly to: string
}

export interface SendOptions extends Pick<
  RunApisOptions,
  'fetch' | 'limits' | 'allowsLoopback' | 'ending' | 'hold' | 'countBytes' | 'onRedirect'
> {
  readonly budget: ApiBudget
  /** Inspects the body as it arrives, for streams that end with a known message. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
  /** Where GET and HEAD may be redirected to. */
  readonly downloadHosts?: readonly string[] | undefined
  /** Keeps redirects from taking a credential along. */
  readonly holdsSecret?: ((text: string) => boolean) | undefined
  /** Ends the request before the run does; its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

/** @throws {ApiError} {@link LimitReached} */
export async function send(
  name: string,
  request: ApiRequest,
  body: RequestBody | undefined,
  options: SendOptions,
): Promise<OpenResponse> {
  assertMayReach(name, request.url, options.allowsLoopback)
  const { limits, ending } = options
  const deadline = Date.now() + limits.apiCallMs
  const lastStart = Math.min(deadline, Date.now() + (ending.leftMs ?? Infinity))
  for (let tries = 1; ; tries++) {
    const exchange = new Exchange(name, options, deadline)
    const answer = await exchange.send(request, body)
    const mayRetry = IDEMPOTENT.has(request.method) && RETRY_STATUSES.has(answer.status)
    if (!mayRetry || tries === MAX_TRIES) return answer
    const pauseMs = retryAfterMs(answer.headers) ?? backoffMs(tries)
    if (Date.now() + pauseMs >= lastStart) return answer
    await answer.cancel()
    await pause(pauseMs, anySignal(ending.signal, options.signal))
  }
}

/** One request and its response. */
class Exchange {
  readonly #name: string
  readonly #options: SendOptions
  readonly #timeout = new AbortController()
  readonly #signal: AbortSignal
  readonly #deadline: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(name: string, options: SendOptions, deadline: number) {
    this.#name = name
    this.#options = options
    this.#signal = anySignal(options.ending.signal, options.signal, this.#timeout.signal)
    this.#deadline = deadline
    this.#startTimer(deadline - Date.now())
  }

  async send(request: ApiRequest, body: RequestBody | undefined): Promise<OpenResponse> {
    try {
      return this.#open(request, await this.#fetch(request, body))
    } catch (error) {
      throw this.#failure(error, 'the API could not be reached')
    } finally {
      // A page that was opened ahead may wait for its turn.
      this.#stopTimer()
    }
  }

  /** A redirect gets neither credentials nor anything else of the request. */
  async #fetch(first: ApiRequest, body: RequestBody | undefined): Promise<Fetched> {
    const { allowsLoopback, downloadHosts = [], holdsSecret, onRedirect } = this.#options
    const { method } = first
    const isDownload = method === 'GET' || method === 'HEAD'
    const redirects = new Redirects(this.#name, {
      hosts: isDownload ? downloadHosts : [],
      listedIn: 'download_hosts',
      allowsLoopback,
      holdsSecret,
    })
    for (let request = first; ;) {
      const answer = await this.#fetchOnce(request, request === first ? body : undefined)
      const { status } = answer
      if (answer.type !== 'opaqueredirect' && !REDIRECTS.has(status)) return answer
      await answer.body?.cancel()
      const url = redirects.next(answer, request.url)
      onRedirect?.({ function: this.#name, status, from: place(request.url), to: place(url) })
      request = { method, url, headers: new Headers({ 'User-Agent': 'moonbucket' }) }
    }
  }

  async #fetchOnce(
    { url, method, headers }: ApiRequest,
    body: RequestBody | undefined,
  ): Promise<Fetched> {
    const { fetch, budget, ending } = this.#options
    ending.signal.throwIfAborted()
    budget.countCall()
    const all = new Headers(headers)
    if (body?.contentType !== undefined) all.set('Content-Type', body.contentType)
    if (!all.has('Accept-Encoding')) all.set('Accept-Encoding', ENCODINGS.join(', '))
    return fetch(url, {
      method,
      headers: all,
      ...(body && { body: body.content }),
      // Followed by hand: the runtime would send the credential along.
      redirect: 'manual',
      signal: this.#signal,
    })
  }

  #open({ method }: ApiRequest, answer: Fetched): OpenResponse {
    const { status, statusText, headers } = answer
    const encoding = headers.get('Content-Encoding') ?? ''
    if (COMPRESSED.test(encoding) && !ENCODINGS.includes(encoding)) {
      const message = `${this.#name}: the response is compressed as "${encoding}", not as gzip or br`
      throw new ApiError('invalid_answer', message, { status })
    }
    const { apiCallMs } = this.#options.limits
    const expected = method === 'HEAD' ? undefined : lengthOf(headers)
    const head = { status, statusText, headers }
    const leftMs = this.#deadline - Date.now()
    return {
      ...head,
      body: () => this.#pieces(answer, expected, apiCallMs),
      whole: async (isForVm = true) => {
        this.#startTimer(leftMs)
        const onBytes = this.#byteCounter(answer, isForVm)
        return { ...head, bytes: await readCapped(this.#pieces(answer, expected), onBytes) }
      },
      cancel: async () => {
        this.#stopTimer()
        await answer.body?.cancel().catch(() => undefined)
      },
    }
  }

  /** Each piece is valid until the next. @param pieceMs Restarts the time limit for each. */
  async *#pieces(
    { body }: Fetched,
    expected: number | undefined,
    pieceMs?: number,
  ): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const piece of body ? this.#read(readPieces(body, expected), pieceMs) : []) {
      length += piece.length
      await this.#options.countBytes?.(piece.length)
      yield piece
    }
    this.#stopTimer()
    if (expected === undefined || length >= expected) return
    throw new ApiError('network', `${this.#name}: the response ended early`)
  }

  async *#read(reader: PieceReader, pieceMs: number | undefined): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (pieceMs !== undefined) this.#startTimer(pieceMs)
        const piece = await reader.read()
        // The time that the store takes is not the API's.
        if (pieceMs !== undefined) this.#stopTimer()
        if (!piece) return
        yield piece
      }
    } catch (error) {
      throw this.#failure(error, 'the response could not be read to its end')
    } finally {
      this.#stopTimer()
      await reader.cancel().catch(() => undefined)
    }
  }

  #byteCounter({ headers, status }: Fetched, isForVm: boolean): OnBytes {
    const { limits, budget, watch, hold } = this.#options
    const watching = watch?.(headers)
    let length = 0
    let heldLength = UNCOUNTED_BYTES
    return async (piece) => {
      if (isForVm) budget.countBytes(piece.length)
      length += piece.length
      if (length > limits.apiCallBytes) {
        const message = `${this.#name}: the response is larger than ${limits.apiCallBytes} bytes`
        throw new ApiError('too_large', message, { status })
      }
      if (hold && length > heldLength) {
        const more = Math.max(HELD_STEP_BYTES, length - heldLength)
        heldLength += more
        await hold(RESPONSE_COPIES * more)
      }
      return watching?.(piece)
    }
  }

  /** @param problem What a network error is about. */
  #failure(error: unknown, problem: string): unknown {
    const { ending, signal, limits } = this.#options
    if (signal?.aborted && !ending.signal.aborted) return signal.reason
    if (ending.signal.aborted || error instanceof ApiError || !isNetworkError(error)) return error
    if (!this.#timeout.signal.aborted) {
      return new ApiError('network', `${this.#name}: ${problem}`)
    }
    const seconds = limits.apiCallMs / 1000
    return new ApiError('timeout', `${this.#name}: the API did not answer within ${seconds} s`)
  }

  #startTimer(ms: number): void {
    clearTimeout(this.#timer)
    const expire = () => this.#timeout.abort(new DOMException('timeout', 'TimeoutError'))
    this.#timer = setTimeout(expire, Math.max(0, ms))
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
  }
}

/** Without its query, which may hold a signature. */
function place({ host, pathname }: URL): string {
  return `${host}${pathname}`
}

/** `undefined` if it says nothing about the decompressed body. */
function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('Content-Length') ?? ''
  return headers.has('Content-Encoding') || !/^\d{1,15}$/.test(length) ? undefined : Number(length)
}

/** Only fetch and body errors count as network errors; the rest are limits or bugs. */
function isNetworkError(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof DOMException) return true
  return error instanceof Error && error.name === 'Error'
}
