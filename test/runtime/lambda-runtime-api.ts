/** The Lambda Runtime API of one process, on loopback: gives it events and takes the answers it streams. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'
import {
  FunctionError,
  readAnswer,
  readError,
  readToEnd,
  type StreamedAnswer,
} from './lambda-answer.ts'

const PREFIX = '/2018-06-01/runtime'

/** What the platform allows one invocation, and does to those who take longer. */
export interface TimeLimit {
  readonly timeoutMs: number
  readonly onTimeout: () => void
}

/** What one process of the function talks to. */
export interface RuntimeApi {
  /** For the variable `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string
  /**
   * Waits until the process asks for work. One invocation at a time.
   *
   * @throws {FunctionError} when the function fails before its answer begins.
   */
  invoke(event: unknown): Promise<StreamedAnswer>
  /** As {@link invoke}, for an event whose answer nobody reads; resolves at its end. */
  invokeAsync(event: unknown): Promise<void>
  /** From now on there is no process; the first reason counts. */
  fail(error: FunctionError): void
  stop(): Promise<void>
}

interface Invocation {
  readonly id: string
  readonly eventJson: string
  /** Takes what the function sends. */
  answer(request: IncomingMessage): Promise<void>
  fail(error: unknown): void
}

export async function startRuntimeApi({ timeoutMs, onTimeout }: TimeLimit): Promise<RuntimeApi> {
  let timer: NodeJS.Timeout | undefined
  let queued: Invocation | undefined
  let running: Invocation | undefined
  let idle: ServerResponse | undefined
  let end: FunctionError | undefined

  function handOver(): void {
    if (!queued || !idle) return
    running = queued
    idle.writeHead(200, headersOf(running, Date.now() + timeoutMs)).end(running.eventJson)
    idle = queued = undefined
    // Starting the process takes no time of the invocation.
    timer = setTimeout(onTimeout, timeoutMs)
  }

  function fail(error: FunctionError): void {
    end ??= error
    clearTimeout(timer)
    queued?.fail(end)
    running?.fail(end)
  }

  async function take(route: string, request: IncomingMessage): Promise<number> {
    if (route === 'POST /init/error') {
      fail(readError(await text(request)))
      return 202
    }
    const [, id, what] = /^POST \/invocation\/([^/]+)\/(response|error)$/.exec(route) ?? []
    if (!running || running.id !== id) return 404
    if (what === 'error') running.fail(readError(await text(request)))
    else await takeAnswer(running, request)
    clearTimeout(timer)
    return 202
  }

  // The process keeps its connection and is silent on it for as long as a run takes.
  const patience = { keepAliveTimeout: 0, requestTimeout: 0 }
  const server = createServer(patience, (request, response) => {
    const route = `${request.method} ${request.url?.replace(PREFIX, '')}`
    if (route === 'GET /invocation/next') {
      idle = response
      return handOver()
    }
    void take(route, request).then((status) => response.writeHead(status).end('{}'))
  })
  const { port, stop } = await listen(server)

  function start<T>(event: unknown, read: (request: IncomingMessage) => Promise<T>): Promise<T> {
    return new Promise((done, reject) => {
      if (end) return reject(end)
      const eventJson = JSON.stringify(event)
      const answer = async (request: IncomingMessage) => done(await read(request))
      queued = { id: randomUUID(), eventJson, answer, fail: reject }
      handOver()
    })
  }

  return {
    address: `127.0.0.1:${port}`,
    fail,
    invoke: (event) => start(event, readAnswer),
    invokeAsync: (event) => start(event, readToEnd),
    stop,
  }
}

function headersOf({ id }: Invocation, deadlineMs: number): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': id,
    'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
    'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:local:000000000000:function:moonbucket',
    'Lambda-Runtime-Trace-Id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
  }
}

/** Resolves when all of it has been read. */
async function takeAnswer({ answer, fail }: Invocation, request: IncomingMessage): Promise<void> {
  const isRead = new Promise((done) => request.once('close', done))
  try {
    if (request.headers['lambda-runtime-function-response-mode'] !== 'streaming') {
      throw new FunctionError('Runtime.InvalidResponse', 'the answer is not streamed')
    }
    await answer(request)
  } catch (error) {
    fail(error)
    request.resume()
  }
  await isRead
}
