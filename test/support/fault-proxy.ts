/** A bad network on loopback, between a driver and its store: it counts, breaks and repeats requests as planned. Node only. */
import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { answering } from './answering.ts'

/** What may happen to one request. */
export const FAULTS = [
  /** The store fails, before it did anything. */
  '500',
  /** It wants to be left alone for a moment. */
  '503',
  '429',
  /** The connection breaks before the request reached the store. */
  'reset',
  /** The connection breaks after the store did it all. */
  'lost answer',
  /** The store did it all, and the answer never comes. */
  'stalled answer',
  /** The answer ends in the middle. */
  'truncated answer',
  /** The answer comes a few bytes at a time. */
  'slow answer',
  /** The request reaches the store twice; the second answer comes back. */
  'sent twice',
] as const

export type Fault = (typeof FAULTS)[number]

/** A request as plans see it. */
export interface Seen {
  readonly method: string
  /** Decoded, without the endpoint's own path and the query. */
  readonly path: string
  /** How many requests of this method there were for the path before. */
  readonly before: number
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

/** What happens to a request; a number is a status the proxy answers with by itself. */
export type Plan = (seen: Seen) => Fault | number | undefined

/** The proxy, for as long as a test file runs. */
export interface FaultProxy {
  /** The same endpoint, reached through the proxy. */
  readonly endpoint: string
  /** Replaces the plan and forgets the counts. */
  readonly follow: (plan: Plan) => void
  /** By method and path, such as `PUT /files/a`. */
  readonly counts: ReadonlyMap<string, number>
  readonly stop: () => Promise<void>
}

/** Starts without faults. */
export async function startFaultProxy(endpoint: string): Promise<FaultProxy> {
  const target = new URL(endpoint)
  const counts = new Map<string, number>()
  let plan: Plan = () => undefined

  const listener = answering(async (request, response) => {
    const { method = '', url = '', headers } = request
    const [rawPath = '', search] = url.split('?')
    const path = decodeURIComponent(rawPath.slice(target.pathname.length))
    const name = `${method} ${path}`
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    const fault = plan({ method, path, before, query: new URLSearchParams(search), headers })
    await meet(fault, { request, response, target })
  })
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    endpoint: `http://127.0.0.1:${port}${target.pathname}`,
    counts,
    follow(next) {
      plan = next
      counts.clear()
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Lets a share of all requests meet one kind of fault; the same requests for the same seed, in whatever order they come. */
export function someMeet(fault: Fault, share: number, seed: number): Plan {
  return ({ method, path, before }) =>
    fraction(`${seed} ${method} ${path} ${before}`) < share ? fault : undefined
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: URL
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

async function meet(fault: ReturnType<Plan>, exchange: Exchange): Promise<void> {
  const { request, response } = exchange
  if (fault === 'reset') return void request.socket.resetAndDestroy()
  const body = await bytesOf(request)
  if (fault === '500' || fault === '503' || fault === '429' || typeof fault === 'number') {
    return refuse(response, Number(fault))
  }
  if (fault === 'sent twice') await deliver(exchange, body)
  const answer = await deliver(exchange, body)
  if (fault === 'stalled answer') return
  if (fault === 'lost answer') return void request.socket.resetAndDestroy()
  if (fault === 'truncated answer' && answer.body.length === 0) {
    return void request.socket.resetAndDestroy()
  }
  response.writeHead(answer.status, answer.headers)
  if (fault === 'truncated answer') {
    response.write(answer.body.subarray(0, answer.body.length / 2), () =>
      request.socket.resetAndDestroy(),
    )
  } else if (fault === 'slow answer') {
    await drip(response, answer.body)
  } else response.end(answer.body)
}

const CODES: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  500: 'InternalError',
}

function refuse(response: ServerResponse, status: number): void {
  const body = `<?xml version="1.0"?><Error><Code>${CODES[status] ?? 'SlowDown'}</Code><Message>planned</Message></Error>`
  const isBusy = status === 503 || status === 429
  response.writeHead(status, {
    'content-type': 'application/xml',
    'content-length': body.length,
    ...(isBusy && { 'retry-after': '0' }),
  })
  response.end(body)
}

/** With the headers as they came: the host among them is part of the signature. */
function deliver({ request, target }: Exchange, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, url, rawHeaders } = request
    const sent = sendRequest(
      { host: target.hostname, port: target.port, method, path: url, headers: rawHeaders },
      (answer) => {
        const { statusCode: status = 0, headers } = answer
        bytesOf(answer).then((bytes) => resolve({ status, headers, body: bytes }), reject)
      },
    )
    sent.on('error', reject).end(body)
  })
}

const DRIPS = 8

async function drip(response: ServerResponse, body: Buffer): Promise<void> {
  const size = Math.ceil(body.length / DRIPS) || 1
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  response.end()
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** FNV-1a, mixed once more: as good as random for names that differ in one letter. */
function fraction(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
