/** The service's client; always uses the tab's token. */
import type { Entry } from '../../../operations/files/list-files.ts'
import { isOver } from '../token/token-claims.ts'
import { EXPIRED, NO_TOKEN, refusal, RequestFailed, UNREACHABLE } from './failure.ts'

export type { Entry }

/** Part of a file, and its total size. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly totalBytes: number
}

export type Client = ReturnType<typeof serviceClient>

/** @param tokenOf Called per request; nothing is sent without a usable token. */
export function serviceClient(tokenOf: () => string) {
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
      return { bytes, totalBytes: total === undefined ? bytes.length : Number(total) }
    },

    async download(path: string): Promise<Blob> {
      return (await send(contentAddress(path))).blob()
    },

    /** Without `overwrite`, an existing file is kept and the status is 412. */
    async upload(path: string, body: Blob, overwrite: boolean): Promise<void> {
      const headers: Record<string, string> = overwrite ? {} : { 'If-None-Match': '*' }
      await send(contentAddress(path), { method: 'PUT', body, headers })
    },

    /** Deletes folders recursively. */
    async remove(path: string): Promise<void> {
      await post('/fs/delete', { path, recursive: true, force: true })
    },

    async linkTo(path: string): Promise<string> {
      return (await post<{ link: string }>('/links', { path })).link
    },
  }
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
