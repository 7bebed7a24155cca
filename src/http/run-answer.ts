/** Responds to a run: with JSON at the end, or with events while it runs. */
import type { Context } from 'hono'
import type { Operation } from '../operations/operation.ts'
import type { ExecuteStats } from '../operations/run/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { anySignal } from '../lib/abort.ts'
import { jsonText } from '../lib/raw-json.ts'
import type { AppEnv } from './app-env.ts'
import { eventStream, type EventStream } from './event-stream.ts'
import { keepAlive } from './keep-alive.ts'

/** Report the cost of a run. */
export const COST_HEADERS = ['Server-Timing', 'X-Fuel-Used']

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
  let events: EventStream | undefined
  let cost = ''
  const signal = anySignal(ctx.signal, left.signal)
  return new Promise((resolve, reject) => {
    const progress = {
      onAdmitted: () => {
        events = eventStream(() => left.abort())
        resolve(c.body(events.body, 200, events.headers))
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
        events.fail(ctx.requestId)
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
