/** Answers requests to a function URL by a stream, as Lambda's Node runtime takes it. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { faultEvent, type LogEvent } from '../../operations/log-event.ts'
import { parseEvent, toRequest, type HttpEvent } from './event.ts'

/** What the runtime tells about one invocation. */
interface InvocationContext {
  readonly awsRequestId: string
  getRemainingTimeInMillis(): number
}

type StreamingHandler = (
  event: unknown,
  stream: Writable,
  context: InvocationContext,
) => Promise<void>

/** Status and headers, as they travel before the body. */
interface AnswerHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
}

/** The runtime's own, there before the function is loaded. */
declare const awslambda: {
  streamifyResponse(handler: StreamingHandler): StreamingHandler
  HttpResponseStream: { from(stream: Writable, head: AnswerHead): Writable }
}

/** What a request has of the invocation it comes with. */
interface Invocation {
  /** Until the platform ends it, and the process with it. */
  readonly leftMs: number
  /** Between invocations the process stands still: what shall go on after the answer has to be told. */
  waitUntil(work: Promise<unknown>): void
}

export type Answer = (request: Request, invocation: Invocation) => Response | Promise<Response>

/** A function that gives requests to `answer`, and fails for any other event before it does anything. */
export function streamingHandler(answer: Answer, log: (event: LogEvent) => void): StreamingHandler {
  return awslambda.streamifyResponse(async function answerEvent(event, stream, context) {
    const request = findRequest(parseEvent(event))
    const requestId = request?.headers.get('x-request-id') ?? context.awsRequestId
    request?.headers.set('x-request-id', requestId)
    const leftMs = context.getRemainingTimeInMillis()
    const works: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void works.push(work)
    const response = request ? await answer(request, { leftMs, waitUntil }) : refusal(requestId)
    try {
      await send(response, stream)
    } catch (error) {
      log(faultEvent(requestId, 'answer', error))
      // Tells the platform to break the answer off. Who invokes functions sees the message: it has no detail.
      throw new Error('the answer could not be sent to its end', { cause: error })
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
  // The head travels with the first write: it shall not wait for a slow body, nor be lost without one.
  out.write('')
  for await (const chunk of body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain')
  }
  out.end()
}
