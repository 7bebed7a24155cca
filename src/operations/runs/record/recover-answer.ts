/** What is known of a run whose process or thread died: its log, and the files it had stored. */
import type { VirtualPath } from '../../../files/path.ts'
import { AreaStore } from '../../../files/store/area-store.ts'
import { openArea } from '../../../files/store/area.ts'
import { inParallel } from '../../../lib/parallel.ts'
import { compareUtf8 } from '../../../storage/key-order.ts'
import type { RecordedRow } from '../../run/run-answer.ts'
import { areaLayout, areaOwner, type Service } from '../../service.ts'
import { callerOf, type RecordedAnswer, type RecordedEvent, type RunRecord } from './run-record.ts'
import type { RunStore } from './run-store.ts'
import type { Intent } from './storing-journal.ts'

/** Requests at once. */
const MAX_REQUESTS = 6

/** @param error Why there is no answer. */
export async function recoverAnswer(
  service: Service,
  store: RunStore,
  record: RunRecord,
  error: RecordedAnswer['error'],
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
  const files_touched = [...rows.values()].sort((a, b) => compareUtf8(a.name, b.name))
  return { resultJson: 'null', logs, files_touched, error }
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
  for await (const { items, storedAt } of store.parts<Intent>('storing')) {
    await inParallel(
      items,
      { jobs: MAX_REQUESTS, bytes: 0 },
      () => 0,
      async ([op, name]) => {
        rows.set(name, await rowNow(files, { op, name }, storedAt, rows.get(name)))
      },
    )
  }
}

/** @param since When the file was about to be stored. Both times are the store's. */
async function rowNow(
  files: AreaStore,
  { op, name }: { readonly op: Intent[0]; readonly name: VirtualPath },
  since: Date,
  row: RecordedRow | undefined,
): Promise<RecordedRow> {
  const object = await files.head(name).catch(() => undefined)
  if (object === null && op === 'remove') return { name, op, bytes: 0 }
  if (!object || object.modifiedAt < since) return row ?? { name, op, bytes: 0, stored: false }
  const isSame = row?.bytes === object.bytes && row.op !== 'remove'
  return isSame ? row : { name, op: row?.op === 'append' ? 'append' : 'write', bytes: object.bytes }
}
