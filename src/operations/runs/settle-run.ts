/** Decides what became of a run whose process or message is gone. */
import type { Service } from '../service.ts'
import { MAX_SKEW_MS } from './record/run-lease.ts'
import { recoverAnswer } from './record/recover-answer.ts'
import { statusOf, type RunRecord } from './record/run-record.ts'
import type { FoundRun, RunStore } from './record/run-store.ts'
import { finish, queueAgain } from './run-recorded.ts'

/** The answers of runs whose process died have this name. */
const LOST = 'lost'
const GONE = {
  kind: 'runtime',
  message: 'the run was lost: its process ended before it did',
} as const

/**
 * The run as it is now. One that was lost becomes so in its record, or is queued again if that was
 * asked for: then nobody can take it for running any more, not even its process.
 */
export async function settleRun(
  service: Service,
  store: RunStore,
  found: FoundRun,
): Promise<FoundRun> {
  const { record } = found
  if (!isLost(service, record)) return found
  const { lease } = record
  const answer = lease && (await store.getAnswer(lease.by))
  if (answer) {
    const status = statusOf(answer, record.isCancelling ?? false)
    return settleAs(service, store, found, { status, answer: lease.by })
  }
  const again = await queueAgain(service, store, found)
  if (again) return again
  if (lease) await store.putAnswer(LOST, await recoverAnswer(service, store, record, GONE))
  return settleAs(service, store, found, { status: 'lost', ...(lease && { answer: LOST }) })
}

/** Someone else may be faster; if the record cannot be written, the next reader tries again. */
async function settleAs(
  service: Service,
  store: RunStore,
  found: FoundRun,
  changes: Partial<RunRecord> & Pick<RunRecord, 'status'>,
): Promise<FoundRun> {
  const ended = await finish(service, store, found, changes, 1)
  if (ended) return ended
  const seen = await store.load()
  if (seen && seen.etag !== found.etag) return seen
  const endedAt = service.now().getTime()
  return { ...found, record: { ...found.record, endedAt, ...changes } }
}

function isLost({ now, runQueue }: Service, record: RunRecord): boolean {
  const time = now().getTime() - MAX_SKEW_MS
  if (record.status === 'running') return time > record.lease!.until
  const keepsMs = runQueue?.keepsMs ?? 0
  return record.status === 'queued' && time > record.queuedAt + keepsMs
}
