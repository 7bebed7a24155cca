/** `POST /execute`: runs a script and answers at the end, or with events while it runs. */
import type { Context } from 'hono'
import { MAX_EXECUTE_BODY_BYTES } from '../limits.ts'
import { once } from '../once.ts'
import { callerAuth, checkCallerAuth } from '../operations/caller-auth.ts'
import { answerJson, rowJson } from '../operations/run/execute-answer.ts'
import { executeRequest, toExecuteInput } from '../operations/run/execute-request.ts'
import {
  executeScript,
  type ExecuteInput,
  type ExecuteStats,
} from '../operations/run/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { eventStream, type EventStream } from './event-stream.ts'
import { keepAlive } from './keep-alive.ts'
import { readJsonAndText } from './request-body.ts'
import { requestContext } from './request-context.ts'

/** As a tool, credentials come beside the arguments; here they are a field. */
export const executeBody = once(() => executeRequest().extend({ auth: callerAuth() }))

/** The handler; who calls is known by now, and that they may. */
export function execute(service: Service) {
  return async function runForCaller(c: Context<AppEnv>): Promise<Response> {
    const { body, fieldText } = await readJsonAndText(
      c,
      executeBody(),
      MAX_EXECUTE_BODY_BYTES,
      'args',
    )
    const input = {
      ...toExecuteInput(body, fieldText),
      callerAuth: checkCallerAuth(body.auth, service),
    }
    const ctx = requestContext(c, service)
    const wantsEvents = c.req.header('Accept')?.includes('text/event-stream') ?? false
    return wantsEvents ? streamRun(c, ctx, input) : answerRun(c, ctx, input)
  }
}

async function answerRun(
  c: Context<AppEnv>,
  ctx: RequestContext,
  input: ExecuteInput,
): Promise<Response> {
  const run = executeScript(ctx, input)
  // Also when the caller goes away: what was closed is still stored.
  keepAlive(c, run)
  const { answer, stats } = await run
  return c.body(answerJson(answer), 200, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store',
    'X-Fuel-Used': String(stats.fuelUsed),
    'Server-Timing': serverTiming(stats),
  })
}

/** The stream begins when the run is admitted: until then a refusal has a status of its own. */
function streamRun(
  c: Context<AppEnv>,
  ctx: RequestContext,
  input: ExecuteInput,
): Promise<Response> {
  const left = new AbortController()
  let events: EventStream | undefined
  const signal = ctx.signal ? AbortSignal.any([ctx.signal, left.signal]) : left.signal
  return new Promise((resolve, reject) => {
    const run = executeScript({ ...ctx, signal }, input, {
      onAdmitted: () => {
        events = eventStream(() => left.abort())
        resolve(c.body(events.body, 200, events.headers))
      },
      onLog: (line) => events?.send('log', JSON.stringify({ line })),
      onFile: (row) => events?.send('file', rowJson(row)),
    }).then(
      ({ answer, stats }) => {
        events?.send('result', answerJson(answer))
        events?.send('stats', statsJson(stats))
        events?.end()
      },
      (error: unknown) => {
        if (!events) return reject(error)
        // Too late for the app's error handler: the status is sent.
        ctx.service.log(faultEvent(ctx.requestId, `${c.req.method} ${c.req.path}`, error))
        events.fail(ctx.requestId)
      },
    )
    keepAlive(c, run)
  })
}

function serverTiming({ timing }: ExecuteStats): string {
  return Object.entries(timing)
    .map(([part, ms]) => `${part};dur=${ms.toFixed(2)}`)
    .join(', ')
}

function statsJson(stats: ExecuteStats): string {
  const { fuelUsed: fuel, memoryBytes: memory_bytes } = stats
  return JSON.stringify({ fuel, ms: totalMs(stats), memory_bytes })
}

function totalMs({ timing }: ExecuteStats): number {
  return Math.round(Object.values(timing).reduce((sum, ms) => sum + ms, 0))
}
