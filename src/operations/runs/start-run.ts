/** Starts a run in the background. */
import { AppError } from '../../errors.ts'
import { faultEvent } from '../log-event.ts'
import type { ExecuteInput } from '../run/execute-script.ts'
import type { RequestContext, Service } from '../service.ts'
import { checkNotifyUrl } from './notify.ts'
import { recordCaller, type RunRecord } from './record/run-record.ts'
import type { RunQueue } from './run-queue.ts'
import { newRunId } from './record/run-id.ts'
import { stateOf, type RunState } from './read-run.ts'
import { listActive, RunStore } from './record/run-store.ts'
import { settleRun } from './settle-run.ts'

/** Marks of runs that may be over, at each refusal. */
const LOOKED_AT = 10

/** What a request says about its run, besides what it runs. */
export interface RunTerms {
  readonly notify?: string | undefined
  readonly retry?: boolean | undefined
}

export function newRecord(
  ctx: RequestContext,
  id: string,
  { linkTtlS }: ExecuteInput,
): Pick<RunRecord, Exclude<keyof RunRecord, 'status'>> {
  const createdAt = ctx.service.now().getTime()
  return {
    id,
    caller: recordCaller(ctx.caller),
    requestId: ctx.requestId,
    baseUrl: ctx.baseUrl,
    linkTtlS,
    createdAt,
    queuedAt: createdAt,
    attempts: 0,
    logLines: 0,
  }
}

/** @throws {AppError} `invalid_request` before anything is stored. */
export function checkTerms(
  { service }: RequestContext,
  { notify }: RunTerms,
  { callerAuth, script }: ExecuteInput,
): RunQueue {
  const { config, runQueue } = service
  if (!runQueue) {
    throw new AppError(
      'invalid_request',
      'background: this service does not support background runs',
    )
  }
  if (callerAuth && callerAuth.size > 0) {
    const message = 'auth: cannot be used in the background, where it would have to be stored'
    throw new AppError('invalid_request', message)
  }
  const { scriptBytes } = config.limits
  if (new TextEncoder().encode(script).length > scriptBytes) {
    throw new AppError('too_large', `The script is larger than ${scriptBytes} bytes.`)
  }
  if (notify !== undefined) checkNotifyUrl(notify, config)
  return runQueue
}

/**
 * The record is there before the message, and the mark before the record: what fails half-way is
 * never run twice, and counts until it is swept.
 *
 * @throws {AppError} `rate_limited`, `storage_unavailable`, or as {@link checkTerms}.
 */
export async function startRun(
  ctx: RequestContext,
  terms: RunTerms,
  executeInput: ExecuteInput,
  id = newRunId(ctx.service.now()),
): Promise<RunState> {
  const { service } = ctx
  const { callerAuth: _, ref: __, ...input } = executeInput
  const queue = checkTerms(ctx, terms, executeInput)
  const store = await RunStore.of(service, ctx.caller, id)
  try {
    await store.markActive()
    await assertRoom(service, store.place.tenant)
    await store.putInput({ ...input, isBackground: true })
    const record = { ...newRecord(ctx, id, input), ...terms, status: 'queued' as const }
    await store.create(record)
    await queue.send(store.ref)
    return stateOf(record)
  } catch (error) {
    await store.removeAll().catch((fault: unknown) => {
      service.log(faultEvent(ctx.requestId, 'run', fault))
    })
    if (error instanceof AppError) throw error
    const message = 'The run cannot be queued right now. Try again shortly.'
    throw new AppError('storage_unavailable', message, { cause: error })
  }
}

/** Concurrent requests see each other's marks: together they may refuse one too many. */
async function assertRoom(service: Service, tenant: string): Promise<void> {
  const { backgroundRuns } = service.config.limits
  const active: string[] = []
  for await (const ref of listActive(service, tenant)) active.push(ref)
  if (active.length <= backgroundRuns) return
  // A few at a time: a refusal must stay cheap.
  const from = Math.floor(Math.random() * active.length)
  const some = [...active.slice(from), ...active.slice(0, from)].slice(0, LOOKED_AT)
  const gone = await Promise.all(some.map((ref) => forgetGone(service, ref)))
  if (active.length - gone.filter(Boolean).length <= backgroundRuns) return
  const message = `At most ${backgroundRuns} runs may be queued or running. Try again when one has ended.`
  throw new AppError('rate_limited', message)
}

/** Marks of runs that are over may be left behind. Those without a record are just starting. */
async function forgetGone(service: Service, ref: string): Promise<boolean> {
  const store = RunStore.at(service, ref)
  const found = await store?.load()
  if (!store || !found) return false
  const { record } = await settleRun(service, store, found)
  if (record.status === 'queued' || record.status === 'running') return false
  await store.unmarkActive()
  return true
}
