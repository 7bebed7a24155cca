/** A request to run a script: at once, in the background, or once for its key. */
import { AppError } from '../../errors.ts'
import { faultEvent } from '../log-event.ts'
import { executeScript, type ExecuteInput, type ExecuteProgress } from '../run/execute-script.ts'
import type { ExecuteAnswer, FileRow } from '../run/run-answer.ts'
import type { RequestContext } from '../service.ts'
import { checkRun } from '../usage/check-daily.ts'
import { countRun } from '../usage/count-daily.ts'
import { fingerprintOf, idempotencyKey, onceForKey } from './idempotency.ts'
import { answerOf, openRun, rowLinker, stateOf, withLinks, type RunState } from './read-run.ts'
import { newLease } from './record/run-lease.ts'
import { isOver } from './record/run-record.ts'
import { runRecorded } from './run-recorded.ts'
import { RunStore } from './record/run-store.ts'
import { checkTerms, newRecord, startRun, type RunTerms } from './start-run.ts'

interface RunRequest extends RunTerms {
  readonly background?: boolean | undefined
  readonly auth?: unknown
}

/** The run goes on in the background, or has ended. */
export type RunOutcome =
  | { readonly run: RunState; readonly answer?: undefined }
  | { readonly run?: undefined; readonly answer: ExecuteAnswer }

/** @throws {AppError} */
export async function executeOrStart(
  ctx: RequestContext,
  request: RunRequest,
  input: ExecuteInput,
): Promise<RunOutcome> {
  const background = request.background || prefersAsync(ctx)
  const terms = { notify: request.notify, retry: request.retry || undefined }
  if (background) checkTerms(ctx, terms, input)
  else refuseTerms(terms)
  const key = idempotencyKey(ctx)
  if (input.isPlan) {
    if (background) throw new AppError('invalid_request', 'plan: cannot be used in the background')
    await checkRun(ctx)
    // Leaves nothing that a key could stand for, and may be repeated.
    return { answer: await executeScript(ctx, input) }
  }
  const start = async (id?: string): Promise<RunOutcome> => {
    await countRun(ctx)
    return { run: await startRun(ctx, terms, input, id) }
  }
  if (key === undefined) {
    if (background) return start()
    await countRun(ctx)
    return { answer: await executeScript(ctx, input) }
  }
  const body: RunRequest = { ...request, background }
  const fingerprint = await fingerprintOf(ctx, body)
  return onceForKey<RunOutcome>(
    ctx,
    { key, fingerprint },
    {
      start: background ? start : (id) => executeRecorded(ctx, input, id),
      find: (id) => findOutcome(ctx, id, background),
    },
  )
}

/** `Prefer: respond-async`, among other preferences. */
function prefersAsync({ headers }: RequestContext): boolean {
  return /(?:^|[,;\s])respond-async(?:[,;\s]|$)/i.test(headers?.get('Prefer') ?? '')
}

function refuseTerms({ notify, retry }: RunTerms): void {
  const field = notify !== undefined ? 'notify' : retry ? 'retry' : undefined
  if (field === undefined) return
  throw new AppError('invalid_request', `${field}: is only for background runs`)
}

/** In this request, but with a record: a client that lost its connection asks again. */
async function executeRecorded(
  request: RequestContext,
  input: ExecuteInput,
  id: string,
): Promise<RunOutcome> {
  const { signal: _, ...ctx } = request
  const { service } = ctx
  await countRun(ctx)
  const store = await RunStore.of(service, ctx.caller, id)
  const record = newRecord(ctx, id, input)
  const claimed = await store.create({
    ...record,
    status: 'running',
    startedAt: record.createdAt,
    attempts: 1,
    lease: newLease(service),
  })
  const linked = linkedProgress(ctx.progress, await rowLinker(ctx, record))
  const running = runRecorded({ ...ctx, progress: linked.progress }, store, claimed, input)
  const answer = await running.catch(async (error: unknown) => {
    // Refused, so nothing ran.
    if (error instanceof AppError) {
      await store.removeAll().catch((fault: unknown) => {
        service.log(faultEvent(ctx.requestId, 'run', fault))
      })
    }
    throw error
  })
  await linked.sent()
  // Only background runs are given back to the queue.
  return { answer: await withLinks(ctx, record, answer!) }
}

/** Adds links to the rows of a record, in order. */
function linkedProgress(
  progress: ExecuteProgress | undefined,
  linked: Awaited<ReturnType<typeof rowLinker>>,
) {
  let last: Promise<void> = Promise.resolve()
  const onFile = (row: FileRow) => {
    const ready = linked(row)
    last = last.then(async () => progress?.onFile?.(await ready))
  }
  return { progress: { ...progress, ...(progress?.onFile && { onFile }) }, sent: () => last }
}

async function findOutcome(
  ctx: RequestContext,
  id: string,
  isBackground: boolean,
): Promise<RunOutcome | null | undefined> {
  const run = await openRun(ctx, id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })
  if (!run) return null
  if (isBackground) return { run: stateOf(run.record) }
  if (!isOver(run.record)) return undefined
  const recorded = await answerOf(run)
  if (!recorded) return undefined
  const answer = await withLinks(ctx, run.record, recorded)
  ctx.progress?.onAdmitted?.()
  for (const line of answer.logs) ctx.progress?.onLog?.(line)
  if (recorded.stats) ctx.progress?.onEnd?.(recorded.stats)
  return { answer }
}
