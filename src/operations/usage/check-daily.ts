/** Holds plans to the quotas of a day without using them up: a plan leaves no mark. */
import type { AreaStoreOptions } from '../../files/store/area-store.ts'
import { readOnlyStorage } from '../../storage/planned/read-only.ts'
import { LimitReached } from '../../vm/script-error.ts'
import { QuotaExceeded } from '../../errors.ts'
import type { RequestContext } from '../service.ts'
import { openDaily, quotasOf, type DailyQuota } from './open-usage.ts'

/** @throws {RetryLater} `rate_limited` if a run would be refused. */
export async function checkRun(ctx: RequestContext): Promise<void> {
  await dailyChecker(ctx, 'runsDay')?.(1)
}

/** For scripts; `undefined` without a quota. The function throws {@link LimitReached}. */
export function apiByteChecker(
  ctx: RequestContext,
  requests: Pick<AreaStoreOptions, 'ending'>,
): ((bytes: number) => Promise<void>) | undefined {
  const check = dailyChecker(ctx, 'apiBytesDay', requests)
  return (
    check &&
    ((bytes) =>
      check(bytes).catch((error: unknown) => {
        throw error instanceof QuotaExceeded ? new LimitReached(error.message) : error
      }))
  )
}

/** Adds up what it is asked for. */
function dailyChecker(
  { service, caller }: RequestContext,
  name: DailyQuota,
  requests?: Pick<AreaStoreOptions, 'ending'>,
): ((count: number) => Promise<void>) | undefined {
  const allowed = quotasOf(service, caller)[name]
  if (allowed === undefined) return undefined
  const reading = { ...service, storage: readOnlyStorage(service.storage) }
  let counted = 0
  let before: number | undefined
  return async (count) => {
    const usage = await openDaily(reading, caller.tenant, name, allowed, requests)
    counted += count
    before ??= await usage.used()
    usage.assertWithin(before + counted)
  }
}
