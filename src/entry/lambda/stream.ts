/** Handles events in Lambda's Node runtime, which streams the responses. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { faultEvent, type LogEvent } from '../../operations/log-event.ts'
import { findTask, parseEvent, toRequest, type HttpEvent, type Task } from './event.ts'

interface InvocationContext {
  readonly awsRequestId: string
  getRemainingTimeInMillis(): number
}

type StreamingHandler = (
  event: unknown,
  stream: Writable,
  context: InvocationContext,
) => Promise<void>

/** Sent before the body. */
interface ResponseHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
}

/** A global of the runtime. */
declare const awslambda: {
  streamifyResponse(handler: StreamingHandler): StreamingHandler
  HttpResponseStream: { from(stream: Writable, head: ResponseHead): Writable }
}

interface Invocation {
  /** Until the platform kills it. */
  readonly leftMs: number
  /** Of the client. */
  readonly address: string | undefined
  /** The process is frozen between invocations: work after the response must be registered. */
  waitUntil(work: Promise<unknown>): void
}

export interface Handlers {
  answer(request: Request, invocation: Invocation): Response | Promise<Response>
  /** If it fails, so does the invocation: the platform keeps the event as a dead letter. */
  perform(task: Task, leftMs: number): Promise<void>
}

/** Fails for other events. */
export function streamingHandler(
  { answer, perform }: Handlers,
  log: (event: LogEvent) => void,
): StreamingHandler {
  return awslambda.streamifyResponse(async function handleEvent(event, stream, context) {
    const task = findTask(event)
    if (task) {
      await perform(task, context.getRemainingTimeInMillis()).catch((error: unknown) => {
        log(faultEvent(context.awsRequestId, 'event', error))
        throw new Error('the event could not be handled', { cause: error })
      })
      return void stream.end()
    }
    const parsed = parseEvent(event)
    const request = findRequest(parsed)
    const requestId = request?.headers.get('x-request-id') ?? context.awsRequestId
    request?.headers.set('x-request-id', requestId)
    const leftMs = context.getRemainingTimeInMillis()
    const works: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void works.push(work)
    const address = parsed.requestContext.http.sourceIp
    const response = request
      ? await answer(request, { leftMs, address, waitUntil })
      : refusal(requestId)
    try {
      await send(response, stream)
    } catch (error) {
      log(faultEvent(requestId, 'answer', error))
      // Makes the platform break off the response. The message is visible to invokers, so it has no
      // detail.
      throw new Error('the response could not be sent completely', { cause: error })
    } finally {
      await Promise.allSettled(works)
    }
  })
}

function findRequest(event: HttpEvent): Request | null {
  try {
    return toRequest(event)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function refusal(requestId: string): Response {
  const message = 'The request cannot be read.'
  const error = { code: 'malformed', message, request_id: requestId }
  return Response.json({ error }, { status: 400, headers: { 'Cache-Control': 'no-store' } })
}

async function send({ status, headers, body }: Response, stream: Writable): Promise<void> {
  const out = awslambda.HttpResponseStream.from(stream, {
    statusCode: status,
    headers: Object.fromEntries([...headers].filter(([name]) => name !== 'set-cookie')),
    cookies: headers.getSetCookie(),
  })
  // Sends the head at once, also for an empty or slow body.
  out.write('')
  for await (const chunk of body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain')
  }
  out.end()
}
