/** Decides what became of a run whose process or message is gone. */
import type { VirtualPath } from '../../files/path.ts'
import { AreaStore } from '../../files/store/area-store.ts'
import { openArea } from '../../files/store/area.ts'
import { inParallel } from '../../lib/parallel.ts'
import { compareUtf8 } from '../../storage/key-order.ts'
import { faultEvent } from '../log-event.ts'
import type { RecordedRow } from '../run/run-answer.ts'
import { areaLayout, areaOwner, type Service } from '../service.ts'
import { MAX_SKEW_MS } from './run-lease.ts'
import { finish } from './run-recorded.ts'
import {
  callerOf,
  statusOf,
  type RecordedAnswer,
  type RecordedEvent,
  type RunRecord,
} from './run-record.ts'
import type { FoundRun, RunStore } from './run-store.ts'

/** How often a run with `retry` is started. */
const MAX_ATTEMPTS = 3
/** Requests at once. */
const MAX_REQUESTS = 6

/** The answers of runs whose process died have this name. */
const LOST = 'lost'

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
    const changes = { status: statusOf(answer), answer: lease.by }
    return settled(store, found, await finish(service, store, found, changes))
  }
  const again = await queueAgain(service, store, found)
  if (again) return again
  if (lease) await store.putAnswer(LOST, await lostAnswer(service, store, record))
  const changes = { status: 'lost' as const, ...(lease && { answer: LOST }) }
  return settled(store, found, await finish(service, store, found, changes))
}

/** Someone else may have been faster. */
async function settled(
  store: RunStore,
  before: FoundRun,
  ended: FoundRun | null,
): Promise<FoundRun> {
  return ended ?? (await store.load()) ?? before
}

function isLost({ now, runQueue }: Service, record: RunRecord): boolean {
  const time = now().getTime() - MAX_SKEW_MS
  if (record.status === 'running') return time > record.lease!.until
  const keepsMs = runQueue?.keepsMs ?? 0
  return record.status === 'queued' && time > record.queuedAt + keepsMs
}

async function queueAgain(
  service: Service,
  store: RunStore,
  found: FoundRun,
): Promise<FoundRun | null> {
  const { retry, attempts, isCancelling, requestId } = found.record
  const { runQueue } = service
  if (!runQueue || !retry || isCancelling || attempts >= MAX_ATTEMPTS) return null
  const queuedAt = service.now().getTime()
  const queued = await store.replace(found, { status: 'queued', queuedAt, lease: undefined })
  // If it fails, the run is lost once the queue could not have kept it any longer.
  await runQueue.send(store.ref).catch((error: unknown) => {
    service.log(faultEvent(requestId, 'queue', error))
  })
  return queued ?? (await store.load())
}

/** From what was stored while it ran. */
async function lostAnswer(
  service: Service,
  store: RunStore,
  record: RunRecord,
): Promise<RecordedAnswer> {
  const logs: string[] = []
  const rows = new Map<string, RecordedRow>()
  for await (const { items } of store.parts<RecordedEvent>('log')) {
    for (const [kind, data] of items) {
      if (kind === 'log') logs.push(data)
      else rows.set(data.name, data)
    }
  }
  await lookAtFiles(service, store, record, rows)
  return {
    resultJson: 'null',
    logs,
    files_touched: [...rows.values()].sort((a, b) => compareUtf8(a.name, b.name)),
    error: { kind: 'runtime', message: 'the run was lost: its process ended before it did' },
  }
}

/** The store knows what became of the files that were about to be stored. */
async function lookAtFiles(
  service: Service,
  store: RunStore,
  { caller }: RunRecord,
  rows: Map<string, RecordedRow>,
): Promise<void> {
  const area = await openArea(areaOwner(callerOf(caller)), areaLayout(service.config))
  const files = new AreaStore({ storage: service.storage, area })
  for await (const { items, storedAt } of store.parts<VirtualPath>('storing')) {
    await inParallel(
      items,
      { jobs: MAX_REQUESTS, bytes: 0 },
      () => 0,
      async (name) => {
        rows.set(name, await rowNow(files, name, storedAt, rows.get(name)))
      },
    )
  }
}

/** @param since When the file was about to be stored. Both times are the store's. */
async function rowNow(
  files: AreaStore,
  name: VirtualPath,
  since: Date,
  row: RecordedRow | undefined,
): Promise<RecordedRow> {
  const unclear: RecordedRow = row ?? { name, op: 'write', bytes: 0, stored: false }
  const object = await files.head(name).catch(() => undefined)
  if (object === undefined) return unclear
  if (object === null) return { name, op: 'remove', bytes: 0 }
  if (object.modifiedAt < since) return unclear
  const isSame = row?.bytes === object.bytes && row.op !== 'remove'
  return isSame ? row : { name, op: row?.op === 'append' ? 'append' : 'write', bytes: object.bytes }
}
