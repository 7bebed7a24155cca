/** A proxy between a driver and its store that counts requests and injects faults. Node only. */
import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { answering } from './answering.ts'

export const FAULTS = [
  /** The store fails before doing anything. */
  '500',
  /** The store throttles. */
  '503',
  '429',
  /** The connection breaks before the request reaches the store. */
  'reset',
  /** The connection breaks after the store processed the request. */
  'lost answer',
  /** The store processed the request, but the response never arrives. */
  'stalled answer',
  /** The response is cut off. */
  'truncated answer',
  /** The response arrives a few bytes at a time. */
  'slow answer',
  /** The request reaches the store twice; the second response is returned. */
  'sent twice',
] as const

export type Fault = (typeof FAULTS)[number]

export interface Seen {
  readonly method: string
  /** Decoded, without the endpoint's path and the query. */
  readonly path: string
  /** Number of earlier requests with this method and path. */
  readonly before: number
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

type Planned = Fault | number | undefined

/** A fault; a number is a status that the proxy responds with itself. May wait first. */
export type Plan = (seen: Seen) => Planned | Promise<Planned>

export interface FaultProxy {
  /** The store's endpoint through the proxy. */
  readonly endpoint: string
  /** Replaces the plan and resets the counts. */
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
    const fault = await plan({ method, path, before, query: new URLSearchParams(search), headers })
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

/** Injects one fault into a share of requests; depends on seed and request, not on order. */
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

/** Sends the headers unchanged: the signature covers the host. */
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

/** FNV-1a with extra mixing, so that names differing in one letter are uncorrelated. */
function fraction(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
