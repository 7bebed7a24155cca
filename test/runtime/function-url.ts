/** A function URL on loopback: HTTP requests become events, streamed answers become HTTP again. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen, type Listening } from '../support/listen.ts'
import type { StreamedAnswer } from './lambda-answer.ts'

/** What an event may have; the body in it counts as it is written there. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024

/** Bodies of other types come in base64. */
const TEXT_TYPE = /^(?:text\/|application\/(?:json|javascript|xml)\b)/i

/** The platform keeps some names to itself. */
const RENAMED: Readonly<Record<string, string>> = {
  'www-authenticate': 'x-amzn-remapped-www-authenticate',
}

export type FunctionUrl = Pick<Listening, 'origin' | 'stop'>

/** @param port 0 takes any free one. */
export async function startFunctionUrl(
  invoke: (event: unknown) => Promise<StreamedAnswer>,
  port = 0,
): Promise<FunctionUrl> {
  const server = createServer((request, response) => {
    respond(invoke, request, response).catch(() => response.destroy())
  })
  return listen(server, port)
}

/** A request as the platform would describe it. */
function eventOf(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  const { pathname: rawPath, search } = splitUrl(request.url ?? '/')
  const { host = '', cookie, ...headers } = joined(request)
  const isText = TEXT_TYPE.test(headers['content-type'] ?? '') && !headers['content-encoding']
  const time = new Date()
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: search,
    ...(cookie && { cookies: cookie.split('; ') }),
    headers: { ...headers, host, 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: host,
      domainPrefix: 'local',
      http: {
        method: request.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: request.socket.remoteAddress,
        userAgent: headers['user-agent'],
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: time.toUTCString(),
      timeEpoch: time.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

async function respond(
  invoke: (event: unknown) => Promise<StreamedAnswer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const event = eventOf(request, await buffer(request))
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) {
    return void response.writeHead(413).end('{"message":"Request Entity Too Large"}')
  }
  const answer = await invoke(event).catch(() => null)
  if (!answer) return void response.writeHead(502).end('Internal Server Error')
  const { statusCode, headers = {}, cookies = [] } = answer.head
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(RENAMED[name] ?? name, value)
  }
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.writeHead(statusCode).flushHeaders()
  // A function goes on when its caller has gone, and all it still says is taken.
  for await (const chunk of answer.body) if (!response.destroyed) response.write(chunk)
  response.end()
}

/** Not by `URL`, which would change how things are written. */
function splitUrl(url: string) {
  const [, pathname = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  return { pathname, search }
}

function joined({ headersDistinct }: IncomingMessage): Record<string, string> {
  const lines = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.join(name === 'cookie' ? '; ' : ','),
  ])
  return Object.fromEntries(lines) as Record<string, string>
}
