/** Responds to a run: with JSON at the end, or with events while it runs. */
import type { Context } from 'hono'
import type { Operation, StreamedEvent } from '../operations/operation.ts'
import { statsJson } from '../operations/runs/watch-run.ts'
import type { ExecuteStats } from '../operations/run/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { INTERNAL_ERROR } from '../errors.ts'
import { anySignal } from '../lib/abort.ts'
import { jsonText } from '../lib/json/raw-json.ts'
import type { AppEnv } from './app-env.ts'
import { keepAlive } from './request-context.ts'

/** Report the cost of a run. */
export const COST_HEADERS = ['Server-Timing', 'X-Fuel-Used']

const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Disables proxy buffering, which would delay events until the end.
  'X-Accel-Buffering': 'no',
}

/** Heartbeat: keeps proxies open and detects departed clients. */
const HEARTBEAT_MS = 5000

const MAX_CHUNK_LENGTH = 65_536
/** Of events that could be read again later. */
const MAX_WAITING_CHUNKS = 16
const ROOM_POLL_MS = 50

type Respond = (
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
  readInput: () => Promise<unknown>,
) => Promise<Response>

export const answerRun: Respond = async (c, ctx, operation, readInput) => {
  let cost = {}
  const progress = { onEnd: (stats: ExecuteStats) => (cost = costHeaders(stats)) }
  const run = operation.run({ ...ctx, progress }, readInput)
  // Even if the client disconnects: closed files are still stored.
  keepAlive(c, run)
  return answerJson(c, (await run) as object, cost)
}

/** @param cost Headers of a run. */
export function answerJson(c: Context<AppEnv>, answer: object, cost = {}): Response {
  const started = startedBy(answer)
  return c.body(jsonText(answer), started ? 202 : 200, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store',
    ...(started && { Location: `/runs/${started.id}` }),
    ...cost,
  })
}

/** The run that goes on in the background, if one was started. */
function startedBy(answer: object): { readonly id: string } | undefined {
  return (answer as { readonly run?: { readonly id: string } }).run
}

/** Ends when the iterable does or the client disconnects. */
export const sendEvents: Respond = async (c, ctx, operation, readInput) => {
  const left = new AbortController()
  const signal = anySignal(ctx.signal, left.signal)
  const output = await operation.run({ ...ctx, signal }, readInput)
  const iterable = output as AsyncIterable<StreamedEvent> | null
  if (!iterable) return c.body(null, 204, { 'Cache-Control': 'no-store' })
  const events = eventStream(() => left.abort())
  const sending = sendAll(iterable, events).catch((error: unknown) => {
    if (signal.aborted) return
    ctx.service.log(faultEvent(ctx.requestId, `${c.req.method} ${c.req.path}`, error))
  })
  keepAlive(
    c,
    sending.finally(() => events.end()),
  )
  return c.body(events.body, 200, EVENT_HEADERS)
}

async function sendAll(
  iterable: AsyncIterable<StreamedEvent>,
  events: ReturnType<typeof eventStream>,
): Promise<void> {
  for await (const { id, name, data } of iterable) {
    await events.room()
    events.send(name, data, id)
  }
}

/** The stream starts once the run is admitted: a refusal before that still gets its own status. */
export const streamRun: Respond = (c, ctx, operation, readInput) => {
  const left = new AbortController()
  let events: ReturnType<typeof eventStream> | undefined
  let cost = ''
  const signal = anySignal(ctx.signal, left.signal)
  return new Promise((resolve, reject) => {
    const progress = {
      onAdmitted: () => {
        events = eventStream(() => left.abort())
        resolve(c.body(events.body, 200, EVENT_HEADERS))
      },
      onLog: (line: string) => events?.send('log', JSON.stringify({ line })),
      onFile: (row: object) => events?.send('file', JSON.stringify(row)),
      onEnd: (stats: ExecuteStats) => (cost = statsJson(stats)),
    }
    const run = operation.run({ ...ctx, signal, progress }, readInput).then(
      (answer) => {
        // A run in the background has no events here.
        if (!events) return resolve(answerJson(c, answer as object, {}))
        events.send('result', jsonText(answer as object))
        events.send('stats', cost)
        events.end()
      },
      (error: unknown) => {
        if (!events) return reject(error)
        // Too late for the app's error handler: the status has been sent.
        ctx.service.log(faultEvent(ctx.requestId, `${c.req.method} ${c.req.path}`, error))
        const failure = { code: 'internal', message: INTERNAL_ERROR, request_id: ctx.requestId }
        events.send('error', JSON.stringify({ error: failure }))
        events.end()
      },
    )
    keepAlive(c, run)
  })
}

function costHeaders({ fuelUsed, timing }: ExecuteStats) {
  const parts = Object.entries(timing).map(([part, ms]) => `${part};dur=${ms.toFixed(2)}`)
  return { 'X-Fuel-Used': String(fuelUsed), 'Server-Timing': parts.join(', ') }
}

/**
 * Server-sent events; those sent after the client has disconnected are dropped.
 *
 * @param onLeave Called when the client disconnects.
 */
function eventStream(onLeave: () => void) {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
    },
    cancel() {
      stop()
      onLeave()
    },
  })
  // Batched per microtask: a chunk per line would take ten times the memory of the lines.
  let pending = ''
  const flush = () => {
    if (pending !== '') controller?.enqueue(encoder.encode(pending))
    pending = ''
  }
  const write = (text: string) => {
    if (!controller) return
    if (pending === '') queueMicrotask(flush)
    pending += text
    if (pending.length >= MAX_CHUNK_LENGTH) flush()
  }
  const heartbeat = setInterval(() => write(': still running\n\n'), HEARTBEAT_MS)
  const stop = () => {
    clearInterval(heartbeat)
    controller = undefined
  }
  return {
    body,
    /** @param data A single line: JSON has no raw newlines. */
    send(event: string, data: string, id?: string) {
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)
    },
    /** Waits while a slow client has not read what was sent. */
    async room() {
      const isFull = () => (controller?.desiredSize ?? 0) < -MAX_WAITING_CHUNKS
      while (isFull()) {
        await new Promise((resolve) => setTimeout(resolve, ROOM_POLL_MS))
      }
    },
    end() {
      flush()
      controller?.close()
      stop()
    },
  }
}
