/** Bodies that tell how much of them was sent, in each runtime as it can. */
import type { Fetch } from './send.ts'
import type { ByteStream } from './transfer.ts'

type OnProgress = (bytes: number) => void

export function hasXhr(): boolean {
  return typeof XMLHttpRequest === 'function'
}

export async function asBlob(body: BodyInit): Promise<Blob> {
  return body instanceof Blob ? body : new Response(body).blob()
}

/** @param bytes Announced, if known: the store has to know it before the first byte. */
export function counted(
  open: () => ByteStream,
  bytes: number | undefined,
  onProgress: OnProgress | undefined,
) {
  let sent = 0
  const counter = () =>
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      start: () => void (sent = 0),
      transform(chunk, controller) {
        controller.enqueue(chunk)
        onProgress?.((sent += chunk.length))
      },
    })
  const body = () => (onProgress ? open().pipeThrough(counter()) : open())
  if (bytes === undefined) return { body }
  const FixedLength = fixedLengthStream()
  if (FixedLength) return { body: () => body().pipeThrough(new FixedLength(bytes)) }
  return { body, headers: { 'Content-Length': String(bytes) } }
}

type FixedLengthStream = new (
  bytes: number,
) => ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>

/** Workers take the length from the stream, others from the header. */
function fixedLengthStream(): FixedLengthStream | undefined {
  return (globalThis as { FixedLengthStream?: FixedLengthStream }).FixedLengthStream
}

/** As `fetch`, for requests with a body and short JSON responses. */
export function requestByXhr(onProgress: OnProgress): Fetch {
  return (address, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const xhr = new XMLHttpRequest()
      const abort = () => xhr.abort()
      xhr.open(method, address)
      for (const [name, value] of Object.entries(headers as Record<string, string>)) {
        xhr.setRequestHeader(name, value)
      }
      const fail = () => reject(new TypeError('The request failed.'))
      xhr.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
      xhr.addEventListener('load', () => resolve(responseOf(xhr)))
      xhr.addEventListener('error', fail)
      xhr.addEventListener('abort', fail)
      xhr.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
      signal?.addEventListener('abort', abort)
      xhr.send(body as XMLHttpRequestBodyInit)
    })
}

function responseOf(xhr: XMLHttpRequest): Response {
  const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.flatMap((line): [string, string][] => {
    const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value!]]
  })
  return new Response(xhr.responseText, { status: xhr.status, headers })
}
