/** `POST /execute`: runs a script and answers at the end, or with events while it runs. */
import type { Context } from 'hono'
import * as z from 'zod'
import { MAX_LINK_TTL_S, MIN_LINK_TTL_S } from '../config.ts'
import { MAX_EXECUTE_BODY_BYTES } from '../limits.ts'
import {
  executeScript,
  type ExecuteInput,
  type ExecuteStats,
} from '../operations/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { baseUrl } from './base-url.ts'
import { answerJson, rowJson } from './execute-answer.ts'
import { eventStream, type EventStream } from './event-stream.ts'
import { keepAlive } from './keep-alive.ts'
import { readJsonAndText } from './request-body.ts'

const atLeast = (least: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).optional()

/** What callers send; a field it does not know is refused, because it would be a misspelt one. */
export const executeBody = z.strictObject({
  script: z.string('must be a string: the Lua source'),
  args: z.unknown().optional(),
  auth: z.record(z.string(), z.unknown(), 'must be an object').optional(),
  limits: z
    .strictObject({
      fuel: atLeast(1),
      memory_bytes: atLeast(1),
      timeout_ms: atLeast(1),
      write_bytes: atLeast(0),
      api_calls: atLeast(0),
    })
    .optional(),
  commit: z
    .enum(['on_close', 'on_success'], 'must be "on_close" or "on_success"')
    .default('on_close'),
  link_ttl_s: z
    .int('must be a whole number of seconds')
    .min(MIN_LINK_TTL_S, `must be at least ${MIN_LINK_TTL_S}`)
    .max(MAX_LINK_TTL_S, `must be at most ${MAX_LINK_TTL_S}`)
    .optional(),
})

/** The handler; who calls is known by now, and that they may. */
export function execute(service: Service) {
  return async function runForCaller(c: Context<AppEnv>): Promise<Response> {
    const { body, fieldText } = await readJsonAndText(
      c,
      executeBody,
      MAX_EXECUTE_BODY_BYTES,
      'args',
    )
    const input = toInput(body, fieldText)
    const ctx = {
      service,
      caller: c.var.caller,
      requestId: c.var.requestId,
      baseUrl: baseUrl(c.req.raw, service.config),
      signal: c.req.raw.signal,
    }
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
        events?.send('stats', JSON.stringify({ fuel: stats.fuelUsed, ms: totalMs(stats) }))
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

function toInput(
  { limits = {}, ...body }: z.output<typeof executeBody>,
  argsJson: string | undefined,
): ExecuteInput {
  const asked = {
    fuel: limits.fuel,
    memoryBytes: limits.memory_bytes,
    runMs: limits.timeout_ms,
    writeBytes: limits.write_bytes,
  }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return {
    script: body.script,
    argsJson,
    limits: Object.fromEntries(given),
    commit: body.commit,
    linkTtlS: body.link_ttl_s,
  }
}

function serverTiming({ timing }: ExecuteStats): string {
  return Object.entries(timing)
    .map(([part, ms]) => `${part};dur=${ms.toFixed(2)}`)
    .join(', ')
}

function totalMs({ timing }: ExecuteStats): number {
  return Math.round(Object.values(timing).reduce((sum, ms) => sum + ms, 0))
}
