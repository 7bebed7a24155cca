/**
 * What sign-in remembers: codes and refresh tokens that were used, and sign-ins that were revoked.
 * One small object each, below a prefix of its own; the sweep deletes them.
 */
import { AreaStore } from '../../files/store/area-store.ts'
import { openSignIn } from '../../files/store/area.ts'
import { parsePath } from '../../files/path.ts'
import { PreconditionFailed, type StorageDriver } from '../../storage/driver.ts'
import { areaLayout, type Service } from '../service.ts'
import { storeFailure } from '../store-failure.ts'

type SignInService = Pick<Service, 'config' | 'storage' | 'now'>

/** A code or refresh token. */
export interface OneUse {
  /** Lower-case hex. */
  readonly id: string
  readonly expiresAt: Date
}

/** How long a refresh token lives. */
export const REFRESH_S = 30 * 24 * 3600
/** How long a process may not notice that a sign-in was revoked. */
const MAX_AGE_MS = 60_000
const MAX_CACHED = 2_000
const STORE_MS = 20_000
/** In case clocks differ. */
const GRACE_MS = 24 * 3600 * 1000

const USED = /^\.sign-in\/used\/(?<end>[0-9a-f]{8})-[0-9a-f]+$/
const REVOKED = /^\.sign-in\/revoked\/[0-9a-f]+$/

/** When each sign-in was last found not to be revoked. A revoked one stays so. */
const caches = new WeakMap<StorageDriver, Map<string, number>>()

/** `false` if it was used before. @throws {AppError} `storage_unavailable` */
export async function useOnce(service: SignInService, { id, expiresAt }: OneUse): Promise<boolean> {
  try {
    const name = parsePath(`used/${endOf(expiresAt)}-${id}`)
    await openStore(service).put(name, new Uint8Array(), { ifNoneMatch: '*' })
    return true
  } catch (error) {
    if (error instanceof PreconditionFailed) return false
    throw error
  }
}

/**
 * Ends all tokens that began with one sign-in: here at once, elsewhere within a minute.
 *
 * @throws {AppError} `storage_unavailable`
 */
export async function revokeSignIn(service: SignInService, id: string): Promise<void> {
  await openStore(service).put(markOf(id), new Uint8Array())
  cacheOf(service).delete(id)
}

/** @param maxAgeMs Of an earlier answer that may be used. @throws {AppError} `storage_unavailable` */
export async function isRevoked(
  service: SignInService,
  id: string,
  maxAgeMs = MAX_AGE_MS,
): Promise<boolean> {
  const cache = cacheOf(service)
  const now = service.now().getTime()
  const ageMs = now - (cache.get(id) ?? -Infinity)
  if (ageMs >= 0 && ageMs < maxAgeMs) return false
  if ((await openStore(service).head(markOf(id))) !== null) return true
  cache.delete(id)
  cache.set(id, now)
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break
    cache.delete(oldest)
  }
  return false
}

/** Whether an object of the store belongs to sign-in and need not be remembered any more. */
export function isSignInOver(key: string, modifiedAt: Date, now: Date): boolean {
  const before = now.getTime() - GRACE_MS
  const { end } = USED.exec(key)?.groups ?? {}
  if (end !== undefined) return end < endOf(new Date(before))
  return REVOKED.test(key) && modifiedAt.getTime() < before - REFRESH_S * 1000
}

function openStore({ config, storage }: SignInService): AreaStore {
  const area = openSignIn(areaLayout(config))
  const ending = { signal: AbortSignal.timeout(STORE_MS) }
  return new AreaStore({ storage, area, ending, errorOf: storeFailure })
}

function markOf(id: string) {
  return parsePath(`revoked/${id}`)
}

function cacheOf({ storage }: SignInService): Map<string, number> {
  const cache = caches.get(storage) ?? new Map<string, number>()
  caches.set(storage, cache)
  return cache
}

/** Zero-padded, so that names sort by time. */
function endOf(date: Date): string {
  return Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}
