/** Sends requests: the token, safe repetitions, and errors as {@link MoonbucketError}. */
import { pause } from '../lib/abort.ts'
import { errorOf, MoonbucketError } from './errors.ts'

/** @param refused The token that the service has just not accepted, if it is asked for another. */
export type TokenSource = string | ((refused?: string) => string | Promise<string>)

export interface ClientOptions {
  /** The address of the service, such as `https://moonbucket.example`. */
  readonly url: string
  /** A function is called for each request. */
  readonly token: TokenSource
  /** How often a request that may be repeated safely is; 3 by default. */
  readonly retries?: number
  /** Instead of the global one. */
  readonly fetch?: Fetch
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface Sending extends CallOptions {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A function makes a new one for each attempt. */
  readonly body?: BodyInit | (() => BodyInit) | undefined
  /** Whether sending it twice does no harm. */
  readonly isSafe: boolean
  /** Whether the body can be sent only once. */
  readonly isOnce?: boolean
  /** Instead of `fetch`. */
  readonly request?: Fetch
}

/** Resolves with a successful response. @throws {MoonbucketError} or the signal's reason. */
export type Send = (sending: Sending) => Promise<Response>

const DEFAULT_RETRIES = 3
const FIRST_PAUSE_MS = 250
/** Who shall wait longer decides that for himself. */
const MAX_RETRY_AFTER_S = 60

export function sender(options: ClientOptions): Send {
  const { url, token, retries = DEFAULT_RETRIES } = options
  const base = url.replace(/\/+$/, '')
  const fetch: Fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init))

  async function sendOnce(sending: Sending, bearer: string): Promise<Response> {
    const { method, path, headers, signal, request = fetch } = sending
    signal?.throwIfAborted()
    const body = typeof sending.body === 'function' ? sending.body() : sending.body
    const init = {
      method,
      headers: { ...headers, Authorization: `Bearer ${bearer}` },
      // Some platforms would send the token along to another host.
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
      ...(signal && { signal }),
    } as RequestInit
    return request(base + path, init).catch((cause: unknown) => {
      if (signal?.aborted) throw signal.reason
      const message = 'The service cannot be reached.'
      throw new MoonbucketError(message, { code: 'unreachable', status: 0, cause })
    })
  }

  async function attempt(sending: Sending): Promise<Response> {
    const bearer = typeof token === 'string' ? token : await token()
    let response = await sendOnce(sending, bearer)
    if (response.status === 401 && typeof token === 'function' && !sending.isOnce) {
      const another = await token(bearer)
      if (another !== bearer) response = await sendOnce(sending, another)
    }
    if (!response.ok) throw await errorOf(response)
    return response
  }

  return async function send(sending) {
    for (let pauseMs = FIRST_PAUSE_MS, left = retries; ; pauseMs *= 2, left--) {
      try {
        return await attempt(sending)
      } catch (error) {
        if (left <= 0 || !mayRepeat(sending, error)) throw error
        const afterMs = error.retryAfter === undefined ? pauseMs : error.retryAfter * 1000
        // Spread, so that clients that were refused together do not come back together.
        await pause(afterMs * (1 + Math.random() / 4), sending.signal)
      }
    }
  }
}

function mayRepeat({ isSafe, isOnce }: Sending, error: unknown): error is MoonbucketError {
  if (!(error instanceof MoonbucketError) || isOnce) return false
  const { code, status, retryAfter = 0 } = error
  if (retryAfter > MAX_RETRY_AFTER_S) return false
  // Refused before anything was done.
  if (code === 'rate_limited' || code === 'busy' || code === 'keys_unavailable') return true
  if (!isSafe) return false
  // The run with this key goes on.
  if (code === 'conflict') return error.retryAfter !== undefined
  return status === 0 || status === 429 || (status >= 502 && status <= 504)
}
