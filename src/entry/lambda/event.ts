/** What invokes the function: requests to its URL, its own background runs, its schedule. */
import * as z from 'zod'

/** The part of payload format 2.0 that is used. */
const httpEvent = z.object({
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.string(),
  /** Repeated headers are joined by commas. */
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).optional(),
  requestContext: z.object({
    domainName: z.string(),
    http: z.object({ method: z.string(), sourceIp: z.string().optional() }),
  }),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean(),
})

export type HttpEvent = z.output<typeof httpEvent>

const task = z.union([
  z.strictObject({ run: z.string() }),
  z.strictObject({ sweep: z.literal(true) }),
])

/** An asynchronous invocation: nobody reads a response. */
export type Task = z.output<typeof task>

/** Another event source; reported as a function error. */
class NotAnHttpEvent extends Error {
  constructor() {
    super('only function URL events of payload format 2.0 are supported')
    this.name = 'NotAnHttpEvent'
  }
}

/** No request can be taken for one: its fields are the platform's. */
export function findTask(event: unknown): Task | null {
  return task.safeParse(event).data ?? null
}

/** @throws {NotAnHttpEvent} */
export function parseEvent(event: unknown): HttpEvent {
  const { success, data } = httpEvent.safeParse(event)
  if (!success) throw new NotAnHttpEvent()
  return data
}

/**
 * Uses the platform's domain name: the `Host` header is the client's claim.
 *
 * @throws {TypeError} for an invalid request, such as broken base64.
 */
export function toRequest(event: HttpEvent): Request {
  const { rawPath, rawQueryString, requestContext, cookies } = event
  const { method } = requestContext.http
  const query = rawQueryString && `?${rawQueryString}`
  const headers = new Headers()
  for (const [name, value] of Object.entries(event.headers)) headers.set(name, asBytes(value))
  if (cookies?.length) headers.set('cookie', asBytes(cookies.join('; ')))
  // `Request` rejects bodies of GET and HEAD, which clients may send.
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(event)
  // Also if the client sent none.
  if (body) headers.set('content-length', String(body.length))
  const init = { method, headers, ...(body && { body }) }
  return new Request(`https://${requestContext.domainName}${rawPath}${query}`, init)
}

/** Headers are bytes, one per character; the event has them decoded. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): Uint8Array<ArrayBuffer> | undefined {
  if (!body) return undefined
  if (!isBase64Encoded) return new TextEncoder().encode(body)
  const bytes = Buffer.from(body, 'base64')
  // Buffer skips invalid characters silently.
  if (bytes.toString('base64') !== body) throw new TypeError('the body is not base64')
  return bytes
}
