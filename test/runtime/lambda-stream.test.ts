/** How answers go into the stream of an invocation, where that cannot be seen from outside. */
import { setImmediate } from 'node:timers/promises'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { streamingHandler, type Handlers } from '../../src/entry/lambda/stream.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { makeGate } from '../support/gate.ts'

const EVENT = {
  version: '2.0',
  rawPath: '/',
  rawQueryString: '',
  headers: {},
  requestContext: { domainName: 'function.example', http: { method: 'GET' } },
  isBase64Encoded: false,
}

beforeEach(() => {
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: PassThrough, head: object) => {
        stream.write(JSON.stringify(head))
        return stream
      },
    },
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

function invoke(answer: Handlers['answer']) {
  const events: LogEvent[] = []
  const stream = new PassThrough()
  const context = { awsRequestId: 'an-invocation', getRemainingTimeInMillis: () => 1000 }
  const perform = () => Promise.reject(new Error('the event is a request'))
  const handler = streamingHandler({ answer, perform }, (event) => events.push(event))
  return { events, stream, isOver: handler(EVENT, stream, context) }
}

it('sends every cookie apart from the headers', async () => {
  const headers = new Headers({ 'Content-Type': 'text/plain', 'X-A': 'b' })
  headers.append('Set-Cookie', 'a=1; Path=/')
  headers.append('Set-Cookie', 'b=2, 3')
  const { stream } = invoke(() => new Response('body', { status: 201, headers }))
  const head = {
    statusCode: 201,
    headers: { 'content-type': 'text/plain', 'x-a': 'b' },
    cookies: ['a=1; Path=/', 'b=2, 3'],
  }
  expect(await text(stream)).toBe(`${JSON.stringify(head)}body`)
})

it('ends the answer at once, and the invocation when the work behind it is done', async () => {
  const gate = makeGate()
  const { stream, isOver } = invoke((_, { waitUntil }) => {
    waitUntil(gate.opened)
    return new Response(null)
  })
  let hasEnded = false
  void isOver.then(() => (hasEnded = true))
  await text(stream)
  await setImmediate()
  expect(hasEnded).toBe(false)
  gate.open()
  await isOver
})

it('fails without a word on why, and logs it', async () => {
  const body = new ReadableStream({
    pull: () => Promise.reject(new Error('the bucket of a tenant is gone')),
  })
  const { events, isOver } = invoke(() => new Response(body))
  await expect(isOver).rejects.toThrow(/^the response could not be sent completely$/)
  expect(events).toEqual([
    {
      event: 'fault',
      request_id: 'an-invocation',
      where: 'answer',
      error: expect.stringContaining('the bucket of a tenant is gone'),
    },
  ])
})
