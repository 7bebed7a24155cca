/** Files of any size: downloads as streams, uploads with progress. */
import { dataOf, queryOf } from './call.ts'
import type { RouteCalls } from './routes.ts'
import type { CallOptions, Send, Sending } from './send.ts'
import { asBlob, counted, hasXhr, requestByXhr } from './upload-body.ts'

export interface DownloadOptions extends CallOptions {
  /** The first byte, and the last one if not all to the end are wanted. */
  readonly range?: readonly [first: number, last?: number] | undefined
}

export type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>
export type UploadBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string | ByteStream

export interface UploadOptions extends CallOptions {
  /** Bytes of a stream; without it, the service takes only as much as it can hold in memory. */
  readonly size?: number | undefined
  /** Replaces only this version. */
  readonly ifMatch?: string | undefined
  /** Replaces nothing. */
  readonly isNew?: boolean | undefined
  /** Called with the bytes sent so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

export type Uploaded = Awaited<ReturnType<RouteCalls['own']['put']>>

export interface Transfers {
  /** Resolves when the first bytes are there; the body of the response streams them. */
  download(path: string, options?: DownloadOptions): Promise<Response>
  /** Stores a file; a stream can be sent only once, so that it is not tried again. */
  upload(path: string, body: UploadBody, options?: UploadOptions): Promise<Uploaded>
}

export function transfers(send: Send): Transfers {
  return {
    download(path, { range, signal } = {}) {
      const headers = { ...(range && { Range: `bytes=${range[0]}-${range[1] ?? ''}` }) }
      return send({ method: 'GET', path: addressOf(path), headers, isSafe: true, signal })
    },

    async upload(path, body, { size, ifMatch, isNew, onProgress, signal } = {}) {
      const conditions = {
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
        ...(isNew && { 'If-None-Match': '*' }),
      }
      // The second of two conditional requests would be refused.
      const isSafe = ifMatch === undefined && !isNew
      const sent = await bodyToSend(body, size, onProgress)
      const headers = { ...conditions, ...sent.headers }
      const response = await send({
        method: 'PUT',
        path: addressOf(path),
        isSafe,
        signal,
        ...sent,
        headers,
      })
      return (await dataOf(addressOf(path), response)) as Uploaded
    },
  }
}

function addressOf(path: string): string {
  return `/fs/content${queryOf({ path })}`
}

/** Browsers send no streams, and only their older interface tells what is sent. */
async function bodyToSend(
  body: UploadBody,
  size: number | undefined,
  onProgress: UploadOptions['onProgress'],
): Promise<Pick<Sending, 'body' | 'headers' | 'isOnce' | 'request'>> {
  const isStream = body instanceof ReadableStream
  if (hasXhr()) {
    const blob = await asBlob(body)
    return { body: blob, ...(onProgress && { request: requestByXhr(onProgress) }) }
  }
  if (isStream) return { ...counted(() => body, size, onProgress), isOnce: true }
  if (!onProgress) return { body }
  const blob = await asBlob(body)
  return counted(() => blob.stream(), blob.size, onProgress)
}
