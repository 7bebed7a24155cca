/** The S3 client, with a request handler on fetch, so that every runtime streams bodies alike. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Config } from '../../config.ts'
import { percentEncode } from '../../lib/encode.ts'
import type { ObjectBody } from '../driver.ts'
import { byteLengthOf, chunksOf, copyOf } from '../object-body.ts'
import { WrongLength } from '../read-stream.ts'

/** Without keys or region the client looks for them itself. */
export interface S3ClientOptions extends Partial<Omit<S3Config, 'bucket'>> {
  /** Instead of keys: expiring credentials. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>
}

/** The client logs what it also throws. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

export function s3Client(options: S3ClientOptions): S3Client {
  const { endpoint, region, forcePathStyle } = options
  const credentials = options.credentials ?? keysOf(options)
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    forcePathStyle: forcePathStyle ?? false,
    requestHandler: fetchHandler(),
    // Retries happen in one layer; two would multiply.
    maxAttempts: 1,
    // Newer checksums use trailers, which only AWS reliably supports.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // fetch does not support Expect: 100-continue.
    expectContinueHeader: false,
    logger: SILENT,
  })
}

function keysOf({ accessKeyId, secretAccessKey, sessionToken }: S3ClientOptions) {
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

type RequestHandler = S3Client['config']['requestHandler']
type HttpRequest = Parameters<RequestHandler['handle']>[0]
type HttpResponse = Awaited<ReturnType<RequestHandler['handle']>>['response']

/** Smaller bodies are joined and signed; larger ones are streamed unsigned, to save a copy. */
const MAX_JOINED_BYTES = 256 * 1024

/** Chunk size for streaming: some runtimes copy what they get. */
const MAX_PIECE_BYTES = 256 * 1024

/** Without retries and timeouts: the caller's signal decides. */
function fetchHandler(): RequestHandler {
  return {
    async handle(request, options: { readonly abortSignal?: unknown } = {}) {
      const answer = await fetch(urlOf(request), {
        method: request.method,
        headers: headersOf(request),
        body: request.body === '' ? undefined : request.body,
        // The signature is not valid anywhere else.
        redirect: 'manual',
        signal: (options.abortSignal as AbortSignal | undefined) ?? null,
        ...(request.body instanceof ReadableStream && { duplex: 'half' }),
      } as RequestInit)
      return { response: responseOf(answer) }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  }
}

/** Never holds a large body in memory twice. */
export function payloadOf(body: ObjectBody): {
  readonly Body: Uint8Array | ReadableStream<Uint8Array>
  readonly ContentLength: number
} {
  const bytes = byteLengthOf(body)
  const isSmall = bytes <= MAX_JOINED_BYTES
  return { Body: isSmall ? copyOf(body) : streamOf(chunksOf(body), bytes), ContentLength: bytes }
}

/** Fails before the end unless the stream has exactly this many bytes. */
export function withExactLength(
  bytes: number,
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let left = bytes
  return withLength(bytes, {
    async pull(controller) {
      const { value, done } = await reader.read()
      left -= value?.length ?? 0
      if (left < 0 || (done && left > 0)) {
        await reader.cancel()
        throw new WrongLength(bytes, bytes - left)
      }
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function streamOf(chunks: readonly Uint8Array[], bytes: number): ReadableStream<Uint8Array> {
  const pieces = piecesOf(chunks)
  return withLength(bytes, {
    pull(controller) {
      const { value, done } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** Workers send Content-Length only for streams with `expectedLength`. */
function withLength(
  bytes: number,
  source: UnderlyingDefaultSource<Uint8Array>,
): ReadableStream<Uint8Array> {
  const measured: UnderlyingDefaultSource<Uint8Array> & { expectedLength: number } = {
    ...source,
    expectedLength: bytes,
  }
  return new ReadableStream(measured, { highWaterMark: 0 })
}

function* piecesOf(chunks: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_PIECE_BYTES) {
      yield chunk.subarray(at, at + MAX_PIECE_BYTES)
    }
  }
}

function urlOf({ protocol, hostname, port, path, query = {} }: HttpRequest): string {
  const search = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) =>
      one === null ? percentEncode(name) : `${percentEncode(name)}=${percentEncode(one)}`,
    ),
  )
  const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`)
  url.pathname = path
  // URLs resolve `.` and `..`: the request would be for another object than the signed one.
  if (url.pathname !== path) throw new RangeError('no URL can name this object')
  return `${url.href}${search.length > 0 ? `?${search.join('&')}` : ''}`
}

/** Runtimes set the host header from the URL. */
function headersOf({ headers }: HttpRequest): Record<string, string> {
  const { host: _, ...rest } = headers
  return rest
}

function responseOf(answer: Response): HttpResponse {
  const { status: statusCode, statusText: reason, headers, body } = answer
  return { statusCode, reason, headers: Object.fromEntries(headers), body: body ?? undefined }
}
