/** Where the effects of a plan go: nowhere, and into its answer. */
import { withTombstones } from '../../../files/store/with-tombstones.ts'
import { plannedStorage } from '../../../storage/planned/planned-storage.ts'
import { readOnlyStorage } from '../../../storage/planned/read-only.ts'
import type { RequestContext } from '../../service.ts'
import { apiByteChecker } from '../../usage/check-daily.ts'
import type { EffectsOptions, RunEffects } from '../run-effects.ts'
import { PlannedRows } from './planned-rows.ts'
import { UnsentCalls } from './unsent-calls.ts'

export async function plannedEffects(
  ctx: RequestContext,
  { area, access, deadline, requests, files }: EffectsOptions,
): Promise<RunEffects> {
  // Readers bury what others deleted half-way, unless they cannot.
  const stored = withTombstones(readOnlyStorage(ctx.service.storage))
  const storage = plannedStorage(stored)
  const { planned } = storage
  const unsent = new UnsentCalls()
  return {
    files: { storage, planned },
    apis: { maySend: unsent.maySend, countBytes: apiByteChecker(ctx, { ending: deadline }) },
    linkTo: (path) => path,
    async report(rows) {
      const described = new PlannedRows({ stored, planned, area, access, requests, files: files() })
      const planRows = await described.of(rows)
      const calls = unsent.list()
      const complete = calls.length === 0 && !planned.isShort
      return { files_touched: [], plan: { complete, files: planRows, unsent_calls: calls } }
    },
  }
}
