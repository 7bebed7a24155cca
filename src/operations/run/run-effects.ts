/** Where the effects of a run go: to the store, with links for its caller. */
import type { RequestBudget } from '../../files/request-budget.ts'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import type { VirtualFilesOptions } from '../../files/run/run-state.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import type { Area } from '../../files/store/area.ts'
import { STORING_GRACE_MS } from '../../limits.ts'
import type { RunApisOptions } from '../../sdk/call/run-apis.ts'
import type { FileAccess, RunHost } from '../../vm/library/library-host.ts'
import type { Deadline } from '../../vm/limits/deadline.ts'
import { linkMaker } from '../links/file-links.ts'
import { RunStore } from '../runs/record/run-store.ts'
import { withJournal } from '../runs/record/storing-journal.ts'
import type { RequestContext } from '../service.ts'
import { apiByteCounter } from '../usage/count-daily.ts'
import { meterOpener } from '../usage/open-usage.ts'
import { fileProgress } from './file-progress.ts'
import { recordedRow, type ExecuteAnswer } from './run-answer.ts'

/** A plan has others than a run. */
export interface RunEffects {
  readonly files: Pick<VirtualFilesOptions, 'storage' | 'planned' | 'openMeter' | 'onStored'>
  readonly apis: Pick<RunApisOptions, 'maySend' | 'countBytes'>
  readonly linkTo: RunHost['linkTo']
  /** Makes the part of the answer that tells what the run did. */
  report(rows: readonly TouchedFile[]): Promise<Pick<ExecuteAnswer, 'files_touched' | 'plan'>>
}

export interface EffectsOptions {
  readonly area: Area
  readonly access: FileAccess
  readonly deadline: Deadline
  readonly requests: RequestBudget
  readonly linkTtlS?: number | undefined
  /** Names the run's record. */
  readonly ref?: string | undefined
  /** Once there are any. */
  readonly files: () => VirtualFiles
}

export async function storedEffects(
  ctx: RequestContext,
  { area, access, deadline, requests, linkTtlS, ref, files }: EffectsOptions,
): Promise<RunEffects> {
  const { progress = {}, service } = ctx
  const links = linkMaker(ctx, area, linkTtlS)
  const record = ref === undefined ? null : RunStore.at(service, ref)
  const reports = fileProgress(
    async (row) => {
      const writeId = files().ownWriteId(row.name)
      return record ? recordedRow(row, writeId) : links.rowWithLinks(row, writeId)
    },
    progress.onFile && ((row) => progress.onFile?.(row)),
    access.canRead || record !== null,
  )
  const leftMs = () => deadline.leftMs + STORING_GRACE_MS
  const onRequest = (count: number) => requests.count(count)
  return {
    files: {
      storage: record ? withJournal(service.storage, area, record) : service.storage,
      openMeter: await meterOpener(service, ctx.caller, leftMs),
      onStored: reports.stored,
    },
    apis: { countBytes: apiByteCounter(ctx, { ending: deadline, onRequest }) },
    linkTo: links.savedAs,
    report: async (rows) => ({ files_touched: await reports.finish(rows) }),
  }
}
