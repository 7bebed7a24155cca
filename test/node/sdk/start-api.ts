/** An HTTP API on loopback that answers as a test tells it, and remembers what it was asked. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { answering } from '../../support/answering.ts'
import { listen, type Listening } from '../../support/listen.ts'

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string
  /** As it was written, with the query. */
  readonly target: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
  /** Resolves when the connection is gone or the answer is complete: `true` if the client left early. */
  readonly left: Promise<boolean>
}

/** Answers one request; what it returns is sent as JSON, unless it wrote by itself and returns nothing. */
export type Answering = (request: SeenRequest, response: ServerResponse) => unknown

/** The API, for as long as a test file runs. */
export interface TestApi extends Listening {
  /** Requests since the answer was last chosen. */
  readonly seen: SeenRequest[]
  /** Chooses what is answered from now on, and forgets what was seen. */
  answer(answering: Answering): void
}

/** Answers 404 until a test sets another answer. */
export async function startApi(): Promise<TestApi> {
  const seen: SeenRequest[] = []
  let chosen: Answering = notFound
  const listener = answering(async (request, response) => {
    const noted = await note(request, response)
    seen.push(noted)
    const answer = await chosen(noted, response)
    if (answer !== undefined) sendJson(response, 200, answer)
  })
  return {
    ...(await listen(createServer(listener))),
    seen,
    answer(next) {
      chosen = next
      seen.length = 0
    },
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': contentType, ...headers })
  response.end(text)
}

async function note(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const { method = '', url = '', headers } = request
  const left = new Promise<boolean>((resolve) => {
    response.on('close', () => resolve(!response.writableFinished))
  })
  const bytes = await buffer(request)
  const [path = '', search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  return { method, target: url, path, query, headers, body: bytes.toString(), bytes, left }
}

const notFound: Answering = (_, response) => sendJson(response, 404, { message: 'nothing here' })
