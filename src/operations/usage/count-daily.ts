/** Counts runs and bytes of API data against the quotas of a day. */
import type { Config } from '../../config.ts'
import type { AreaStoreOptions } from '../../files/store/area-store.ts'
import { AppError, QuotaExceeded } from '../../errors.ts'
import { LimitReached, RaisedInLua } from '../../vm/script-error.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { RequestContext } from '../service.ts'
import { openDaily, quotasOf, type DailyQuota } from './open-usage.ts'

/** Taken at the store, but not used yet. */
interface Ahead {
  readonly day: number
  free: number
}

const DAY_MS = 24 * 3600 * 1000
const MAX_TENANTS = 10_000

/** Per service: what one run leaves, the next ones use. */
const aheadOf = new WeakMap<Config, Map<string, Ahead>>()

/** @throws {RetryLater} `rate_limited` until the next day. */
export async function countRun(ctx: RequestContext): Promise<void> {
  await dailyCounter(ctx, 'runsDay')?.(1)
}

/** For scripts; `undefined` without a quota. The function throws {@link LimitReached}. */
export function apiByteCounter(
  ctx: RequestContext,
  requests?: Pick<AreaStoreOptions, 'ending' | 'onRequest'>,
): ((bytes: number) => MaybePromise<void>) | undefined {
  const count = dailyCounter(ctx, 'apiBytesDay', requests)
  return count && ((bytes) => count(bytes)?.catch(raise))
}

function raise(error: unknown): never {
  if (error instanceof QuotaExceeded) throw new LimitReached(error.message)
  throw error instanceof AppError ? new RaisedInLua(error.message) : error
}

function dailyCounter(
  { service, caller }: RequestContext,
  name: DailyQuota,
  requests?: Pick<AreaStoreOptions, 'ending' | 'onRequest'>,
) {
  const allowed = quotasOf(service, caller)[name]
  if (allowed === undefined) return undefined
  const { config, now } = service
  const known = aheadOf.get(config) ?? new Map<string, Ahead>()
  aheadOf.set(config, known)
  // Tokens of one tenant may allow different amounts.
  const key = `${name} ${allowed} ${caller.tenant}`
  const aheadToday = (): Ahead => {
    const day = Math.floor(now().getTime() / DAY_MS)
    const found = known.get(key)
    if (found?.day === day) return found
    if (known.size >= MAX_TENANTS) known.clear()
    const made = { day, free: 0 }
    known.set(key, made)
    return made
  }
  return (count: number): undefined | Promise<void> => {
    const ahead = aheadToday()
    if (count <= ahead.free) {
      ahead.free -= count
      return undefined
    }
    return openDaily(service, caller.tenant, name, allowed, requests).then(async (usage) => {
      const free = Math.min(count, ahead.free)
      const need = count - free
      // Others must not use it meanwhile.
      ahead.free -= free
      try {
        ahead.free += (await usage.take(need)) - need
      } catch (error) {
        ahead.free += free
        throw error
      }
    })
  }
}
