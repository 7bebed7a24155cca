/** Responds to a run: with JSON at the end, or with events while it runs. */
import type { Context } from 'hono'
import type { Operation } from '../operations/operation.ts'
import type { ExecuteStats } from '../operations/run/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { INTERNAL_ERROR } from '../errors.ts'
import { anySignal } from '../lib/abort.ts'
import { jsonText } from '../lib/raw-json.ts'
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

type ReadInput = () => Promise<unknown>

export async function answerRun(
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
  readInput: ReadInput,
): Promise<Response> {
  let cost = {}
  const progress = { onEnd: (stats: ExecuteStats) => (cost = costHeaders(stats)) }
  const run = operation.run({ ...ctx, progress }, readInput)
  // Even if the client disconnects: closed files are still stored.
  keepAlive(c, run)
  return c.body(jsonText((await run) as object), 200, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store',
    ...cost,
  })
}

/** The stream starts once the run is admitted: a refusal before that still gets its own status. */
export function streamRun(
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
  readInput: ReadInput,
): Promise<Response> {
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
        events?.send('result', jsonText(answer as object))
        events?.send('stats', cost)
        events?.end()
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

function statsJson({ fuelUsed: fuel, memoryBytes: memory_bytes, timing }: ExecuteStats): string {
  const ms = Math.round(Object.values(timing).reduce((sum, part) => sum + part, 0))
  return JSON.stringify({ fuel, ms, memory_bytes })
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
    send: (event: string, data: string) => write(`event: ${event}\ndata: ${data}\n\n`),
    end() {
      flush()
      controller?.close()
      stop()
    },
  }
}
