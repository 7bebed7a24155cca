/** Finds API keys, of the settings and issued ones; what the store says is kept for a minute. */
import type { StorageDriver } from '../../storage/driver.ts'
import type { Service } from '../service.ts'
import { configuredKeys, type FindApiKey } from './find-api-key.ts'
import type { KeyRecord } from './key-record.ts'
import { findRecord } from './key-store.ts'

type FinderService = Pick<Service, 'config' | 'storage' | 'now'>

interface Known {
  /** Before the request was sent. */
  readonly readAt: number
  /** `undefined` for a key that is none. */
  readonly record: KeyRecord | undefined
}

/** By hash; in order of the last reading. Apart, so that wrong keys do not displace others. */
interface Cache {
  readonly keys: Map<string, Known>
  readonly wrong: Map<string, Known>
}

/** How long a process may not notice that a key was revoked. */
const MAX_AGE_MS = 60_000
const MAX_KEYS = 500
const MAX_WRONG = 2_000

/** No promises: a Worker request must not await another's. */
const caches = new WeakMap<StorageDriver, Cache>()

/** Those of the settings come first, and cost nothing. */
export function apiKeyFinder(service: FinderService): FindApiKey {
  const findConfigured = configuredKeys(service.config.auth.apiKeys)
  return async (hash) => (await findConfigured(hash)) ?? findIssued(service, hash)
}

/** This process notices at once that a key was revoked. */
export function forgetKey({ storage }: FinderService, hash: string): void {
  caches.get(storage)?.keys.delete(hash)
}

async function findIssued(service: FinderService, hash: string): ReturnType<FindApiKey> {
  const record = await knownRecord(service, hash)
  if (!record) return undefined
  const { tenant, user, scopes, paths, quotas, expiresAt } = record
  if (expiresAt !== undefined && expiresAt <= service.now().getTime()) return undefined
  return { tenant, user, scopes: [...scopes], paths: paths && [...paths], quotas }
}

async function knownRecord(service: FinderService, hash: string): Promise<KeyRecord | undefined> {
  const cache = cacheOf(service)
  const readAt = service.now().getTime()
  const known = cache.keys.get(hash) ?? cache.wrong.get(hash)
  const ageMs = known ? readAt - known.readAt : Infinity
  // A clock that was set back must not prolong it.
  if (known && ageMs >= 0 && ageMs < MAX_AGE_MS) return known.record
  const record = await findRecord(service, hash)
  cache.keys.delete(hash)
  cache.wrong.delete(hash)
  const [map, most] = record ? [cache.keys, MAX_KEYS] : [cache.wrong, MAX_WRONG]
  map.set(hash, { readAt, record })
  const [oldest] = map.keys()
  if (map.size > most) map.delete(oldest!)
  return record
}

function cacheOf({ storage }: FinderService): Cache {
  const cache = caches.get(storage) ?? { keys: new Map(), wrong: new Map() }
  caches.set(storage, cache)
  return cache
}
