/** Runs a script that has a record, and records its outcome. */
import { AppError, INTERNAL_ERROR } from '../../errors.ts'
import { anySignal, pause } from '../../lib/abort.ts'
import { faultEvent } from '../log-event.ts'
import { executeScript, type ExecuteInput, type ExecuteStats } from '../run/execute-script.ts'
import type { RequestContext, Service } from '../service.ts'
import { notifyEnd } from './notify.ts'
import { HeldRun, isHeldBy } from './run-lease.ts'
import { RunLog } from './run-log.ts'
import { isOver, statusOf, type RecordedAnswer, type RunRecord } from './run-record.ts'
import type { FoundRun, RunStore } from './run-store.ts'

/** Between attempts to start while the service is busy, or to write the record. */
const PAUSE_MS = 1_000
/** Afterwards the lease has run out, and readers decide. */
const RECORD_ATTEMPTS = 20

export const CANCELLED = 'the run was cancelled'
const STOPPED = 'the service was stopped'

/**
 * @param ctx Its signal ends the run; its progress is reported to as well.
 * @param claimed A record that this process holds.
 * @throws {AppError} if a foreground run is refused: its record is still that of a running one.
 */
export async function runRecorded(
  ctx: RequestContext,
  store: RunStore,
  claimed: FoundRun,
  input: ExecuteInput,
): Promise<RecordedAnswer> {
  const { record } = claimed
  const parts = record.attempts > 1 ? await store.countParts('log') : 0
  const log = new RunLog(store, { parts, lines: record.logLines })
  const held = new HeldRun(ctx.service, store, claimed, () => log.lines)
  const answer = await execute(ctx, held, log, { ...input, ref: store.ref }).catch(
    async (error: unknown) => {
      await held.stop()
      throw error
    },
  )
  await log.end()
  const by = record.lease!.by
  const ended = held.end === 'cancelled' && answer.error ? 'cancelled' : statusOf(answer)
  const isRecorded = await keepTrying(ctx, async () => {
    await store.putAnswer(by, answer)
    return true
  })
  const last = await held.stop()
  if (held.end === 'lost' || !isRecorded) return answer
  await finish(ctx.service, store, last, {
    status: ended,
    answer: by,
    logLines: log.lines,
  })
  return answer
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
      const message = held.end === 'cancelled' ? CANCELLED : STOPPED
      return { ...answer, stats, error: { ...error, message } }
    } catch (error) {
      if (!input.isBackground && error instanceof AppError) throw error
      const isBusy = error instanceof AppError && error.code === 'busy'
      if (!isBusy || signal.aborted) return failedAnswer(ctx, error, held)
    }
    await pause(PAUSE_MS, signal).catch(() => undefined)
  }
}

function failedAnswer(ctx: RequestContext, error: unknown, held: HeldRun): RecordedAnswer {
  const isRefusal = error instanceof AppError
  if (!isRefusal) ctx.service.log(faultEvent(ctx.requestId, 'run', error))
  const refusal = isRefusal ? error.message : INTERNAL_ERROR
  const message = held.end === 'cancelled' ? CANCELLED : refusal
  const kind = held.end === 'cancelled' ? ('timeout' as const) : ('runtime' as const)
  return { resultJson: 'null', logs: [], files_touched: [], error: { kind, message } }
}

/** Ends a run in its record, unless someone else has; tells whom it concerns. */
export async function finish(
  service: Service,
  store: RunStore,
  found: FoundRun,
  changes: Partial<RunRecord> & Pick<RunRecord, 'status'>,
): Promise<FoundRun | null> {
  let current = found
  let ended: FoundRun | null = null
  const requestId = found.record.requestId
  await keepTrying({ service, requestId }, async () => {
    const endedAt = service.now().getTime()
    ended = await store.replace(current, { endedAt, ...changes, lease: undefined })
    if (ended) return true
    const seen = await store.load()
    if (!seen || isOver(seen.record) || !isSameState(seen, found.record)) return true
    current = seen
    return false
  })
  if (ended) await afterEnd(service, store, ended)
  return ended
}

function isSameState(seen: FoundRun, record: RunRecord): boolean {
  return record.lease ? isHeldBy(seen, record) : seen.record.status === record.status
}

async function afterEnd(service: Service, store: RunStore, ended: FoundRun): Promise<void> {
  const { id, caller, requestId, notify, status } = ended.record
  try {
    await store.unmarkActive()
    await store.removeInput()
  } catch (error) {
    // Left to the sweep.
    service.log(faultEvent(requestId, 'run', error))
  }
  if (notify !== undefined) {
    await notifyEnd(service, { url: notify, tenant: caller.tenant, id, status })
  }
}

/** Until `work` resolves to `true`; `false` if it never did. */
async function keepTrying(
  { service, requestId }: Pick<RequestContext, 'service' | 'requestId'>,
  work: () => Promise<boolean>,
): Promise<boolean> {
  for (let attempts = 1; attempts <= RECORD_ATTEMPTS; attempts++) {
    try {
      if (await work()) return true
    } catch (error) {
      if (attempts === RECORD_ATTEMPTS) service.log(faultEvent(requestId, 'run', error))
      else await pause(PAUSE_MS, undefined)
    }
  }
  return false
}
