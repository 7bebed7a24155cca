/** The service's client; always uses the tab's token. */
import type { Entry } from '../../../operations/files/list-files.ts'
import { isOver } from '../token/token.ts'

export type { Entry }

/** Part of a file, its total size and its version. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly totalBytes: number
  /** As in the header. */
  readonly etag: string
}

interface Used {
  readonly used: number
  readonly allowed: number
}

/** Only what is limited. */
export interface Usage {
  readonly stored_bytes?: Used
  readonly stored_files?: Used
  readonly runs_today?: Used
  readonly api_bytes_today?: Used
}

/** The only version an upload may replace; otherwise the status is 412. */
type Replaces = 'anything' | 'nothing' | { readonly etag: string }

export type Client = ReturnType<typeof serviceClient>

/**
 * @param tokenOf Called per request; nothing is sent without a usable token.
 * @param onRefused Called with a token that the service did not accept.
 */
export function serviceClient(tokenOf: () => string, onRefused: (token: string) => void) {
  /** @throws {RequestFailed} */
  async function send(address: string, init: RequestInit = {}): Promise<Response> {
    const token = tokenOf()
    if (token === '') throw new RequestFailed(NO_TOKEN)
    if (isOver(token)) throw new RequestFailed(EXPIRED)
    const headers = {
      ...(init.headers as Record<string, string>),
      Authorization: `Bearer ${token}`,
    }
    const response = await fetch(address, { ...init, headers }).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      throw new RequestFailed(UNREACHABLE, 0, { cause })
    })
    if (response.status === 401) onRefused(token)
    if (!response.ok) throw await refusalOf(response)
    return response
  }

  async function post<T>(address: string, body: object): Promise<T> {
    const response = await send(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as T
  }

  return {
    send,

    /** One page; `cursor` is `null` on the last. */
    async list(path: string, cursor?: string) {
      const body = { path, limit: 200, ...(cursor && { cursor }) }
      const { data } = await post<{ data: { entries: Entry[]; cursor: string | null } }>(
        '/fs/list',
        body,
      )
      return data
    },

    /** At most this many bytes from the start. */
    async read(path: string, maxBytes: number): Promise<Content> {
      const headers = { Range: `bytes=0-${maxBytes - 1}` }
      const response = await send(contentAddress(path), { headers }).catch((error: unknown) => {
        // An empty file has no range to request.
        if (error instanceof RequestFailed && error.status === 416) return new Response()
        throw error
      })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const [, total] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
      const totalBytes = total === undefined ? bytes.length : Number(total)
      return { bytes, totalBytes, etag: response.headers.get('ETag') ?? '' }
    },

    async download(path: string): Promise<Blob> {
      return (await send(contentAddress(path))).blob()
    },

    /** Returns the new version, as in the header. */
    async upload(path: string, body: Blob, replaces: Replaces): Promise<string> {
      const headers = conditionOf(replaces)
      const response = await send(contentAddress(path), { method: 'PUT', body, headers })
      return ((await response.json()) as { data: { etag: string } }).data.etag
    },

    /** Replaces nothing, and keeps what others append meanwhile. */
    async rename(from: string, to: string): Promise<void> {
      // Takes the name first: a script cannot rename on a condition.
      await this.upload(to, new Blob(), 'nothing')
      try {
        const run = { script: RENAME, args: { from, to } }
        const { error } = await post<{ error?: { message: string } }>('/execute', run)
        if (error) throw new RequestFailed({ title: error.message, advice: '' })
      } catch (failure) {
        await this.remove(to)
        throw failure
      }
    },

    /** Deletes folders recursively. */
    async remove(path: string): Promise<void> {
      await post('/fs/delete', { path, recursive: true, force: true })
    },

    /** Empty without quotas. */
    async usage(): Promise<Usage> {
      return (await (await send('/usage')).json()) as Usage
    },

    async linkTo(path: string): Promise<string> {
      return (await post<{ link: string }>('/links', { path })).link
    },
  }
}

const RENAME = `
  local isRenamed, message = os.rename(args.from, args.to)
  if not isRenamed then error(message, 0) end`

function conditionOf(replaces: Replaces): Record<string, string> {
  if (replaces === 'anything') return {}
  return replaces === 'nothing' ? { 'If-None-Match': '*' } : { 'If-Match': replaces.etag }
}

function contentAddress(path: string): string {
  return `/fs/content?path=${encodeURIComponent(path)}`
}

/** `/fs` has its own error format, and proxies may have none. */
async function refusalOf(response: Response): Promise<RequestFailed> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: string | { message?: string; request_id?: string }
    metadata?: { request_id?: string }
  }
  const error = typeof body.error === 'string' ? { message: body.error } : body.error
  const message = error?.message ?? `The service answered with status ${response.status}.`
  const requestId = error?.request_id ?? body.metadata?.request_id
  return refusal(response.status, message, requestId)
}

/** `needsToken`: nothing can be sent without a new token. */
export interface Failure {
  readonly title: string
  readonly advice: string
  readonly needsToken?: boolean
}

/** Refused, or not sent. */
export class RequestFailed extends Error {
  readonly failure: Failure
  /** 0 without a response. */
  readonly status: number

  constructor(failure: Failure, status = 0, options?: ErrorOptions) {
    super(`${failure.title} ${failure.advice}`, options)
    this.name = 'RequestFailed'
    this.failure = failure
    this.status = status
  }
}

const HOW_TO_GET_A_TOKEN =
  'Ask the operator of this service for a token. On your own machine, `npm run -s token -- --tenant acme --user alice` prints one.'

const NO_TOKEN: Failure = {
  title: 'A token is needed first.',
  advice: `Paste one at the top of this page. ${HOW_TO_GET_A_TOKEN}`,
  needsToken: true,
}

const EXPIRED: Failure = {
  title: 'The token has expired.',
  advice: `Forget it and paste a new one. ${HOW_TO_GET_A_TOKEN}`,
  needsToken: true,
}

const UNREACHABLE: Failure = {
  title: 'The service cannot be reached.',
  advice: 'Check that it is running and that you are online, then try again. Your script is kept.',
}

export const BROKEN_OFF: Failure = {
  title: 'The connection broke before the run had ended.',
  advice:
    'The service was stopped, or the network failed. Files that the script had closed by then may be stored: ' +
    'look into Files. Your script is kept; run it again when the service is back.',
}

export const LOST: Failure = {
  title: 'The run was lost.',
  advice:
    'The process that ran it died, and it is not run again by itself. Files that it had stored are listed below. ' +
    'Start it again if the script can bear that.',
}

/** Advice by status; the service's own message comes first. */
const ADVICE: Readonly<Record<number, string>> = {
  401: `Paste another token. ${HOW_TO_GET_A_TOKEN}`,
  403: 'Use a token that has this scope.',
  404: 'It may have been deleted meanwhile: refresh the list.',
  413: 'Make it smaller, or write it in parts from a script.',
  429: 'Wait a minute, then try again.',
  503: 'It is busy or its store does not answer. Try again in a few seconds.',
  507: 'Nothing was stored.',
}

export function refusal(status: number, message: string, requestId?: string): RequestFailed {
  const reference = requestId && status >= 500 ? ` If it stays, report request ${requestId}.` : ''
  const advice = ADVICE[status] ?? (status >= 500 ? 'Try again.' : '')
  const needsToken = status === 401
  return new RequestFailed({ title: message, advice: advice + reference, needsToken }, status)
}
