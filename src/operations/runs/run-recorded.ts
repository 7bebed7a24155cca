/** Runs a script that has a record, and records its outcome. */
import { AppError, INTERNAL_ERROR } from '../../errors.ts'
import { anySignal, pause } from '../../lib/abort.ts'
import { faultEvent } from '../log-event.ts'
import { executeScript, type ExecuteInput, type ExecuteStats } from '../run/execute-script.ts'
import type { RequestContext, Service } from '../service.ts'
import { queueNotice } from './notices.ts'
import { recoverAnswer } from './record/recover-answer.ts'
import { HeldRun, isHeldBy } from './record/run-lease.ts'
import { RunLog } from './record/run-log.ts'
import { isOver, statusOf, type RecordedAnswer, type RunRecord } from './record/run-record.ts'
import type { FoundRun, RunStore } from './record/run-store.ts'

/** Between attempts to start while the service is busy, or to write the record. */
const PAUSE_MS = 1_000
/** Afterwards the lease has run out, and readers decide. */
const RECORD_ATTEMPTS = 20

/** How often a run with `retry` is started. */
const MAX_ATTEMPTS = 3

/** Why a run was ended from outside. */
const REASONS = {
  cancelled: 'the run was cancelled',
  lost: 'the run could not renew its lease',
  stopped: 'the service was stopped',
}

/**
 * Resolves to `null` if the run was given back to the queue, because its process stops.
 *
 * @param ctx Its signal ends the run; its progress is reported to as well.
 * @param claimed A record that this process holds.
 * @throws {AppError} if a foreground run is refused: its record is still that of a running one.
 */
export async function runRecorded(
  ctx: RequestContext,
  store: RunStore,
  claimed: FoundRun,
  input: ExecuteInput,
): Promise<RecordedAnswer | null> {
  const { record } = claimed
  const parts = record.attempts > 1 ? await store.countParts('log') : 0
  const log = new RunLog(store, { parts, lines: record.logLines })
  const held = new HeldRun(ctx.service, store, claimed, () => log.lines)
  try {
    const answer = await execute(ctx, held, log, { ...input, ref: store.ref }).catch(
      async (error: unknown) => {
        const isRefused = error instanceof AppError
        if (isRefused && !input.isBackground) throw error
        if (isRefused && ctx.signal?.aborted && (await queueUnbegun(ctx, store, held))) return null
        await log.end()
        const failure = failureOf(ctx, error, held)
        return recoverAnswer(ctx.service, store, record, failure).catch((cause: unknown) => {
          // Readers can, when its lease has run out.
          throw new Error('the answer of a run cannot be recovered', { cause })
        })
      },
    )
    if (!answer) return null
    await log.end()
    await recordAnswer(ctx, store, held, log, answer)
    return answer
  } finally {
    // Otherwise the lease would be renewed for ever.
    await held.stop()
  }
}

/** The answer goes first: a reader who finds it knows how the run ended. */
async function recordAnswer(
  ctx: RequestContext,
  store: RunStore,
  held: HeldRun,
  log: RunLog,
  answer: RecordedAnswer,
): Promise<void> {
  const { by } = held
  const isStored = await keepTrying(ctx, async () => {
    await store.putAnswer(by, answer)
    return true
  })
  const last = await held.stop()
  if (held.end === 'lost' || !isStored) return
  const status = statusOf(answer, held.end === 'cancelled')
  const isStopped = answer.error?.message === REASONS.stopped
  if (isStopped && (await queueAgain(ctx.service, store, last))) return
  await finish(ctx.service, store, last, { status, answer: by, logLines: log.lines })
}

async function execute(
  ctx: RequestContext,
  held: HeldRun,
  log: RunLog,
  input: ExecuteInput,
): Promise<RecordedAnswer> {
  let stats: ExecuteStats | undefined
  const progress = {
    onAdmitted: () => ctx.progress?.onAdmitted?.(),
    onLog: (line: string) => {
      log.onLog(line)
      ctx.progress?.onLog?.(line)
    },
    onFile: (row: Parameters<RunLog['onFile']>[0]) => {
      log.onFile(row)
      ctx.progress?.onFile?.(row)
    },
    onEnd: (all: ExecuteStats) => {
      stats = all
      ctx.progress?.onEnd?.(all)
    },
  }
  const signal = anySignal(ctx.signal, held.signal)
  const running = { ...ctx, signal, progress }
  for (;;) {
    try {
      const answer = await executeScript(running, input)
      const { error } = answer
      if (!error || !signal.aborted || error.kind !== 'timeout') return { ...answer, stats }
      const message = REASONS[held.end ?? 'stopped']
      return { ...answer, stats, error: { ...error, message } }
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'busy'
      if (!isBusy || !input.isBackground || signal.aborted) throw error
    }
    await pause(PAUSE_MS, signal).catch(() => undefined)
  }
}

/** The error of a run whose thread died, or that was never admitted. */
function failureOf(
  { service, requestId, signal }: RequestContext,
  error: unknown,
  held: HeldRun,
): RecordedAnswer['error'] {
  const isRefusal = error instanceof AppError
  if (!isRefusal) service.log(faultEvent(requestId, 'run', error))
  if (held.end || signal?.aborted) {
    return { kind: 'timeout', message: REASONS[held.end ?? 'stopped'] }
  }
  return { kind: 'runtime', message: isRefusal ? error.message : INTERNAL_ERROR }
}

/** Ends a run in its record, unless another process has; then queues its webhook. */
export async function finish(
  service: Service,
  store: RunStore,
  found: FoundRun,
  changes: Partial<RunRecord> & Pick<RunRecord, 'status'>,
  attempts = RECORD_ATTEMPTS,
): Promise<FoundRun | null> {
  let current = found
  let ended: FoundRun | null = null
  const requestId = found.record.requestId
  await keepTrying(
    { service, requestId },
    async () => {
      const endedAt = service.now().getTime()
      ended = await store.replace(current, { endedAt, ...changes, lease: undefined })
      if (ended) return true
      const seen = await store.load()
      if (!seen || isOver(seen.record) || !isSameState(seen, found.record)) return true
      current = seen
      return false
    },
    attempts,
  )
  if (ended) await afterEnd(service, store, ended)
  return ended
}

/** What was claimed and not begun may begin elsewhere, whether or not it may begin again. */
async function queueUnbegun(
  { service }: RequestContext,
  store: RunStore,
  held: HeldRun,
): Promise<boolean> {
  const last = await held.stop()
  if (held.end !== undefined || last.record.isCancelling) return false
  const attempts = last.record.attempts - 1
  return (await queue(service, store, last, { attempts, startedAt: undefined })) !== null
}

/** `null` if a run is not to start again. */
export async function queueAgain(
  service: Service,
  store: RunStore,
  found: FoundRun,
): Promise<FoundRun | null> {
  const { retry, attempts, isCancelling } = found.record
  if (!retry || isCancelling || attempts >= MAX_ATTEMPTS) return null
  return queue(service, store, found, {})
}

async function queue(
  service: Service,
  store: RunStore,
  found: FoundRun,
  changes: Partial<RunRecord>,
): Promise<FoundRun | null> {
  const { runQueue } = service
  if (!runQueue) return null
  const { requestId } = found.record
  const queuedAt = service.now().getTime()
  const asQueued = { ...changes, status: 'queued', queuedAt, lease: undefined } as const
  const queued = await store.replace(found, asQueued)
  if (!queued) return store.load()
  // If it fails, the run is lost once the queue could not have kept it any longer.
  await runQueue.send(store.ref).catch((error: unknown) => {
    service.log(faultEvent(requestId, 'queue', error))
  })
  return queued
}

function isSameState(seen: FoundRun, record: RunRecord): boolean {
  return record.lease ? isHeldBy(seen, record) : seen.record.status === record.status
}

async function afterEnd(service: Service, store: RunStore, ended: FoundRun): Promise<void> {
  const { requestId, notify } = ended.record
  try {
    await store.unmarkActive()
    await store.removeInput()
  } catch (error) {
    // Left to the sweep.
    service.log(faultEvent(requestId, 'run', error))
  }
  if (notify !== undefined) await queueNotice(service, store)
}

/** Until `work` resolves to `true`; `false` if it never did. */
async function keepTrying(
  { service, requestId }: Pick<RequestContext, 'service' | 'requestId'>,
  work: () => Promise<boolean>,
  most = RECORD_ATTEMPTS,
): Promise<boolean> {
  for (let attempts = 1; attempts <= most; attempts++) {
    try {
      if (await work()) return true
    } catch (error) {
      if (attempts === most) service.log(faultEvent(requestId, 'run', error))
      else await pause(PAUSE_MS, undefined)
    }
  }
  return false
}
