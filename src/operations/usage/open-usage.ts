/** What a caller's tenant has used, if it has a quota: without one nothing is counted. */
import { QuotaExceeded, RetryLater } from '../../errors.ts'
import { areaPrefixes, openUsage } from '../../files/store/area.ts'
import { AreaStore, type AreaStoreOptions } from '../../files/store/area-store.ts'
import type { OpenMeter } from '../../files/run/run-state.ts'
import { DailyUsage } from '../../files/usage/daily-usage.ts'
import { StorageMeter } from '../../files/usage/storage-meter.ts'
import { StoredUsage } from '../../files/usage/stored-usage.ts'
import { lowestQuotas, type Quotas } from '../../quotas.ts'
import { areaLayout, type Service } from '../service.ts'
import { storeFailure } from '../store-failure.ts'
import { timestamp } from '../timestamp.ts'

type Requests = Pick<AreaStoreOptions, 'ending' | 'onRequest'>

type UsageService = Pick<Service, 'config' | 'storage' | 'now'>

/** Whose usage, and what limits it. */
export interface UsageOwner {
  readonly tenant: string
  /** Of the token. */
  readonly quotas?: Quotas | undefined
}

/** Where all files belong to one person there are no tenants. */
export function quotasOf({ config }: Pick<Service, 'config'>, { quotas }: UsageOwner): Quotas {
  return config.sharedDir === undefined ? {} : lowestQuotas(config.quotas, quotas)
}

/** `undefined` if stored files are not limited. */
export async function openStored(
  service: UsageService,
  owner: UsageOwner,
  leftMs: () => number,
): Promise<((requests: Requests) => StoredUsage) | undefined> {
  const { bytes, objects } = quotasOf(service, owner)
  if (bytes === undefined && objects === undefined) return undefined
  const layout = areaLayout(service.config)
  const areas = await areaPrefixes(owner.tenant, layout)
  const area = await openUsage(owner.tenant, layout)
  const allowed = { bytes: bytes ?? Infinity, objects: objects ?? Infinity }
  return (requests) => {
    const store = new AreaStore({
      ...requests,
      storage: service.storage,
      area,
      errorOf: storeFailure,
    })
    return new StoredUsage({ store, areas, allowed, leftMs, signal: requests.ending?.signal })
  }
}

/**
 * `undefined` if stored files are not limited.
 *
 * @param leftMs How long the writer may still be writing.
 * @param isSingle Whether each write is followed by no other.
 */
export async function meterOpener(
  service: UsageService,
  owner: UsageOwner,
  leftMs: () => number,
  isSingle = false,
): Promise<OpenMeter | undefined> {
  const open = await openStored(service, owner, leftMs)
  return open && ((requests) => new StorageMeter(open(requests), { isSingle }))
}

/** The end of the day that counts, in UTC. */
export function endOfDay(now: Date): Date {
  const end = new Date(now)
  end.setUTCHours(24, 0, 0, 0)
  return end
}

/** Both have a refusal that says when there is more. */
const DAILY = {
  runsDay: {
    kind: 'runs',
    refusal: (now: Date, allowed: number, used: number) =>
      new RetryLater(
        'rate_limited',
        `The quota of ${allowed} runs a day is used up (${used} used). ${whenMore(now)}`,
        Math.max(1, Math.ceil((endOfDay(now).getTime() - now.getTime()) / 1000)),
      ),
  },
  apiBytesDay: {
    kind: 'api-bytes',
    refusal: (now: Date, allowed: number, used: number) =>
      new QuotaExceeded(
        `API data quota exceeded (${allowed} bytes a day): ${used} are used. ${whenMore(now)}`,
      ),
  },
} as const

export type DailyQuota = keyof typeof DAILY

export async function openDaily(
  { config, storage, now }: UsageService,
  tenant: string,
  name: DailyQuota,
  allowed: number,
  requests: Requests = {},
): Promise<DailyUsage> {
  const area = await openUsage(tenant, areaLayout(config))
  const { kind, refusal } = DAILY[name]
  const today = now()
  return new DailyUsage({
    store: new AreaStore({ ...requests, storage, area, errorOf: storeFailure }),
    kind,
    day: today.toISOString().slice(0, 10),
    allowed,
    signal: requests.ending?.signal,
    refusal: (used) => refusal(today, allowed, used),
  })
}

function whenMore(now: Date): string {
  return `It resets at ${timestamp(endOfDay(now))}; ask for a larger quota to do more today.`
}
