/** Fetch for Node: its own takes a compressed body that was cut off for a whole one. */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, type BrotliDecompress, type Gunzip } from 'node:zlib'
import { freeBuffer } from './free-buffer.ts'
import { publicLookup } from './public-lookup.ts'

const CHUNK_BYTES = 64 * 1024

/** Both fail at an early end. */
const DECODERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
}

const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * For addresses that strangers chose: connects to public ones alone, whatever a name resolves to.
 * Connections are not shared with other requests, which may reach more.
 */
export function publicFetch(allowsLoopback: boolean) {
  const lookup = publicLookup(allowsLoopback)
  return (url: string | URL, init: RequestInit = {}) =>
    nodeFetch(url, init, { lookup, agent: false })
}

/** Never follows redirects. Rejects as `fetch` does: with the signal's reason, or a TypeError. */
export async function nodeFetch(
  url: string | URL,
  init: RequestInit = {},
  connection: Connection = {},
) {
  const { method = 'GET' } = init
  const signal = init.signal ?? undefined
  const headers = new Headers(init.headers)
  if (!headers.has('Accept')) headers.set('Accept', '*/*')
  const body = await encoded(init.body, headers)
  signal?.throwIfAborted()
  const request = { ...connection, method, headers: Object.fromEntries(headers), signal }
  try {
    const answer = await exchange(new URL(url), request, body)
    const { statusCode: status = 0, statusMessage: statusText = '' } = answer
    const hasBody = method !== 'HEAD' && !WITHOUT_BODY.has(status)
    if (!hasBody) answer.resume()
    return {
      status,
      statusText,
      ok: status >= 200 && status < 300,
      type: 'basic' as const,
      headers: headersOf(answer),
      body: hasBody ? bodyOf(answer, signal) : null,
    }
  } catch (cause) {
    signal?.throwIfAborted()
    throw new TypeError('fetch failed', { cause })
  }
}

/** A form sets its own content type. */
async function encoded(body: RequestInit['body'], headers: Headers): Promise<Uint8Array | null> {
  if (body === undefined || body === null) return null
  const response = new Response(body)
  const type = response.headers.get('Content-Type')
  if (type !== null && !headers.has('Content-Type')) headers.set('Content-Type', type)
  return new Uint8Array(await response.arrayBuffer())
}

/** How the connection is made; by default Node's own way. */
interface Connection {
  readonly lookup?: LookupFunction
  /** A connection of its own. */
  readonly agent?: false
}

interface Sent extends Connection {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
}

function exchange(url: URL, sent: Sent, body: Uint8Array | null): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(url, sent, resolve)
    request.on('error', reject)
    request.on('socket', (socket) => {
      socket.on('data', release)
      // Another request may use the connection next, and must read before this.
      request.on('close', () => socket.off('data', release))
    })
    // An upgrade that nobody asked for ends with neither a response nor an error.
    request.on('close', () => reject(new Error('the connection ended')))
    request.end(body ?? undefined)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!)
  return headers
}

function bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoding = answer.headers['content-encoding'] ?? ''
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined
  const content: Readable = decoder ? pipeline(answer, decoder, () => undefined) : answer
  // The reader gets it, if there is one.
  content.on('error', () => undefined)
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Uint8Array<ArrayBuffer>>
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(owned(value))
        } catch (error) {
          signal?.throwIfAborted()
          // Nothing at all is no compressed body, but some servers send it.
          const isEmpty = decoder?.bytesWritten === 0 && answer.complete && isEarlyEnd(error)
          if (!isEmpty) throw error
          controller.close()
        }
      },
      cancel() {
        content.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Readers may free what they get. No Buffer: its `slice` does not copy. */
function owned({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  // Others may share the buffer.
  return byteLength === buffer.byteLength ? bytes : bytes.slice()
}

/** The parser has copied it. The engine would collect all garbage for every few megabytes of it. */
function release({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (byteLength === buffer.byteLength) freeBuffer(buffer)
}

function isEarlyEnd(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
}
