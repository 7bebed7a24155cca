/** Which links were revoked: one small object per area, beside it, read at most once a minute. */
import { AppError } from '../../errors.ts'
import { AreaStore } from '../../files/store/area-store.ts'
import { openRevokedLinks, ownFolder, type AreaOwner } from '../../files/store/area.ts'
import { foldersAbove, parsePath, type FolderPath, type VirtualPath } from '../../files/path.ts'
import { pause } from '../../lib/abort.ts'
import type { LinkClaims } from '../../links/link-token.ts'
import { MAX_LINK_TTL_S } from '../../settings.ts'
import { PreconditionFailed, type StorageDriver, type StoredObject } from '../../storage/driver.ts'
import { areaLayout, type Service } from '../service.ts'

type LinkService = Pick<Service, 'config' | 'storage' | 'now'>

/** By path: links to it, or to anything below it, issued until this second are revoked. */
type Marks = ReadonlyMap<string, number>

interface CachedMarks {
  /** Before the request was sent. */
  readonly readAt: number
  readonly marks: Marks
}

/** How long a process may not notice a revocation. */
const MAX_AGE_MS = 60_000
/** Longer than any link lives, by a day in case clocks differ. */
const KEPT_S = MAX_LINK_TTL_S + 24 * 3600
const READ_MS = 10_000
/** Bounds the cache, together with the size of one object. */
const MAX_CACHED = 200
const MAX_BYTES = 16_384
const MAX_ATTEMPTS = 20
const LONGEST_PAUSE_MS = 200

/** Shared links: revoked for the whole tenant by any caller who may write there. */
const SHARED = parsePath('share')

/**
 * By key; in order of the last reading. No promises: a Worker request must not await another's.
 */
const caches = new WeakMap<StorageDriver, Map<string, CachedMarks>>()

/** @throws {AppError} `forbidden` for a revoked link; `storage_unavailable`. */
export async function assertNotRevoked(
  service: LinkService,
  { owner, issuedAt }: Pick<LinkClaims, 'owner' | 'issuedAt'>,
  path: FolderPath,
): Promise<void> {
  const names = [parsePath(await ownFolder(owner))]
  if (isShared(service, path)) names.push(SHARED)
  const found = await Promise.all(names.map((name) => cachedMarks(service, owner, name)))
  const issued = secondsOf(issuedAt)
  const covering = ['', ...foldersAbove(path), path]
  const isRevoked = found.some((marks) => covering.some((at) => (marks.get(at) ?? -1) >= issued))
  if (isRevoked) throw new AppError('forbidden', 'This link has been revoked.')
}

/**
 * Revokes all links issued until now for a path and everything below it; `''` means all links of
 * the owner. This process notices at once, others within a minute.
 *
 * @throws {AppError} `conflict` if there are too many marks; `storage_unavailable`.
 */
export async function revokeLinksTo(
  service: LinkService,
  owner: AreaOwner,
  path: FolderPath,
): Promise<Date> {
  const name = isShared(service, path) ? SHARED : parsePath(await ownFolder(owner))
  const store = await openMarks(service, owner)
  const seconds = secondsOf(service.now())
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const object = await store.get(name)
    const body = encode(withMark(marksIn(object), path, seconds))
    try {
      await store.put(name, body, object ? { ifMatch: object.etag } : { ifNoneMatch: '*' })
      cacheOf(service).delete(store.area.keyFor(name))
      return new Date(seconds * 1000)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      await pause(Math.random() * LONGEST_PAUSE_MS, undefined)
    }
  }
  throw new AppError('conflict', 'Other links are being revoked right now. Try again shortly.')
}

/** When every link that an object can revoke has expired. */
export function areMarksOver(modifiedAt: Date, now: Date): boolean {
  return secondsOf(modifiedAt) < secondsOf(now) - KEPT_S
}

function isShared({ config }: LinkService, path: FolderPath): boolean {
  return path.split('/', 1)[0] === config.sharedDir
}

async function cachedMarks(
  service: LinkService,
  owner: AreaOwner,
  name: VirtualPath,
): Promise<Marks> {
  const store = await openMarks(service, owner)
  const cache = cacheOf(service)
  const key = store.area.keyFor(name)
  const now = service.now().getTime()
  const known = cache.get(key)
  const ageMs = known ? now - known.readAt : Infinity
  // A clock that was set back must not prolong it.
  if (known && ageMs >= 0 && ageMs < MAX_AGE_MS) return known.marks
  const marks = marksIn(await store.get(name))
  cache.delete(key)
  cache.set(key, { readAt: now, marks })
  const [oldest] = cache.keys()
  if (cache.size > MAX_CACHED) cache.delete(oldest!)
  return marks
}

function cacheOf({ storage }: LinkService): Map<string, CachedMarks> {
  const cache = caches.get(storage) ?? new Map<string, CachedMarks>()
  caches.set(storage, cache)
  return cache
}

async function openMarks({ storage, config }: LinkService, owner: AreaOwner): Promise<AreaStore> {
  return new AreaStore({
    storage,
    area: await openRevokedLinks(owner.tenant, areaLayout(config)),
    ending: { signal: AbortSignal.timeout(READ_MS) },
    errorOf(cause) {
      if (cause instanceof PreconditionFailed) return cause
      const message = 'The store cannot be reached right now. Try again shortly.'
      return new AppError('storage_unavailable', message, { cause })
    },
  })
}

/** Leaves out marks that are too old to matter, and those that the new one covers. */
function withMark(marks: Marks, path: FolderPath, seconds: number): Map<string, number> {
  const isBelow = (other: string) => path === '' || `${other}/`.startsWith(`${path}/`)
  const kept = Array.from(marks).filter(
    ([other, at]) => at > seconds - KEPT_S && !(isBelow(other) && at <= seconds),
  )
  return new Map([...kept, [path, Math.max(seconds, marks.get(path) ?? 0)]])
}

/** An object that cannot be read revokes everything issued before it was stored. */
function marksIn(object: StoredObject | null): Marks {
  if (!object) return new Map()
  try {
    const marks = JSON.parse(new TextDecoder().decode(object.body)) as [string, number][]
    const isValid = marks.every(([path, at]) => typeof path === 'string' && Number.isInteger(at))
    if (isValid) return new Map(marks)
  } catch {
    // As if it held something else.
  }
  return new Map([['', secondsOf(object.modifiedAt)]])
}

/** @throws {AppError} `conflict` */
function encode(marks: Marks): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify([...marks]))
  if (body.length <= MAX_BYTES) return body
  const message = 'Too many paths were revoked one by one. Revoke a folder above them, or all.'
  throw new AppError('conflict', message)
}

function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
