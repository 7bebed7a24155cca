/** What a function URL hands to its function, and the request that it stands for. */
import * as z from 'zod'

/** The part of payload format 2.0 that makes a request. */
const httpEvent = z.object({
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.string(),
  /** What came several times is joined by commas. */
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).optional(),
  requestContext: z.object({
    domainName: z.string(),
    http: z.object({ method: z.string() }),
  }),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean(),
})

/** One request to a function URL. */
export type HttpEvent = z.output<typeof httpEvent>

/** Something else called the function; the platform reports this as the function's failure. */
class NotAnHttpEvent extends Error {
  constructor() {
    super('this function is called by its function URL only, with events of payload format 2.0')
    this.name = 'NotAnHttpEvent'
  }
}

/** @throws {NotAnHttpEvent} for the events of queues, buckets, load balancers and the like. */
export function parseEvent(event: unknown): HttpEvent {
  const { success, data } = httpEvent.safeParse(event)
  if (!success) throw new NotAnHttpEvent()
  return data
}

/**
 * The request as its client sent it, at the address the platform knows the function by: a `Host` is only what the
 * client says.
 *
 * @throws {TypeError} for what cannot be a request, such as a body in broken base64.
 */
export function toRequest(event: HttpEvent): Request {
  const { rawPath, rawQueryString, requestContext, cookies } = event
  const { method } = requestContext.http
  const query = rawQueryString && `?${rawQueryString}`
  const headers = new Headers()
  for (const [name, value] of Object.entries(event.headers)) headers.set(name, asBytes(value))
  if (cookies?.length) headers.set('cookie', asBytes(cookies.join('; ')))
  // No request can be made with what a client may well send.
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(event)
  // Also where the client did not know it beforehand.
  if (body) headers.set('content-length', String(body.length))
  const init = { method, headers, ...(body && { body }) }
  return new Request(`https://${requestContext.domainName}${rawPath}${query}`, init)
}

/** A header is bytes, one to a character; the event has them as text. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): Uint8Array<ArrayBuffer> | undefined {
  if (!body) return undefined
  if (!isBase64Encoded) return new TextEncoder().encode(body)
  const bytes = Buffer.from(body, 'base64')
  // Buffer passes over what it cannot read, and the rest would be taken for the whole.
  if (bytes.toString('base64') !== body) throw new TypeError('the body is not base64')
  return bytes
}
