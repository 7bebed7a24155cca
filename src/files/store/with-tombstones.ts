/** Adds `deleteIf` to stores without conditional deletes, using tombstones hidden from callers. */
import {
  PreconditionFailed,
  type ListEntry,
  type ListOptions,
  type ObjectBody,
  type ObjectInfo,
  type PutOptions,
  type RequestOptions,
  type StorageDriver,
} from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { pause } from '../../lib/abort.ts'
import {
  isLeftBehind,
  isTombstone,
  markOver,
  newTombstone,
  outlives,
  pendingTombstone,
  TOMBSTONE_BYTES,
  TOMBSTONE_MS,
  isBuiltOn,
} from './marks.ts'

/** A store that can delete a specific version. */
export type VersionedStorage = StorageDriver & Required<Pick<StorageDriver, 'deleteIf'>>

/** Larger bodies go without a condition, so stores may use multipart uploads. */
const MAX_CONDITIONAL_BYTES = 8 * 1024 * 1024

/** Limit on endangered versions kept: those read here and not yet replaced. */
const MAX_REMEMBERED = 1_000

const LONGEST_PAUSE_MS = 100

const wrapped = new WeakMap<StorageDriver, VersionedStorage>()

/** Wraps each store once; returns it unchanged if it needs no tombstones. */
export function withTombstones(storage: StorageDriver): VersionedStorage {
  if (isVersioned(storage)) return storage
  const known = wrapped.get(storage) ?? tombstones(storage)
  wrapped.set(storage, known)
  return known
}

function isVersioned(storage: StorageDriver): storage is VersionedStorage {
  return storage.deleteIf !== undefined
}

/**
 * Deleting version V of a key:
 *  1. A tombstone is put with V's etag as the condition. If V has changed, this fails without
 *     effect. From here on the file is gone: readers treat a tombstone as a missing object.
 *  2. If it is still there, the tombstone is deleted, but only in the first half of its lifetime.
 *     The second half covers abandoned requests that are still in flight.
 *
 * Step 2 deletes unconditionally, so it may hit what was written over the tombstone. Hence:
 *  3. Every write is conditional on the version it replaces, so none overwrites a tombstone
 *     unnoticed. An unconditional overwrite fetches the current version first.
 *  4. A write over a tombstone is marked with the tombstone's time: the deletion may still hit it.
 *     A write over a marked object is equally endangered and gets the same mark.
 *  5. The writer of a marked object waits for a tombstone's lifetime and checks again. By then the
 *     deletion has happened or never will. If the write is still there, or was only appended to, it
 *     is confirmed. Otherwise it is repeated (if unconditional) or fails like any unmet condition.
 *  6. An object whose own time is later than its mark by more than that lifetime was never
 *     endangered and needs no wait. Both times are the store's, so local clocks do not matter.
 *  7. A marked version is deleted only after twice that lifetime, when its writer has checked it.
 *
 * Streams and large bodies go without a condition: they cannot be sent twice, or go in parts. They
 * wait before they are sent, and are endangered only by a tombstone put while they are in flight.
 *
 * @param lifeMs How long after its put a tombstone may be deleted, requests in flight included.
 */
export function tombstones(storage: StorageDriver, lifeMs = TOMBSTONE_MS): VersionedStorage {
  /** Conditions name only an etag, which does not show that its version is endangered. */
  const endangered = new Map<string, { readonly etag: string; readonly object: ObjectInfo }>()

  function remember(object: ObjectInfo): void {
    endangered.delete(object.key)
    if (pendingTombstone(object, lifeMs) === null) return
    endangered.set(object.key, { etag: object.etag, object })
    const [oldest] = endangered.keys()
    if (endangered.size > MAX_REMEMBERED) endangered.delete(oldest!)
  }

  async function isThere<T extends ObjectInfo>(object: T | null, options: RequestOptions) {
    if (!object) return false
    if (!isTombstone(object)) {
      remember(object)
      return true
    }
    // Its owner failed to delete it. A failure here must not affect the reader.
    if (isLeftBehind(object)) await bury(object, options).catch(() => undefined)
    return false
  }

  /** Steps 1 and 2. */
  async function bury(version: ObjectInfo, { signal }: RequestOptions): Promise<boolean> {
    const { key } = version
    const { body, options } = newTombstone(version)
    const start = Date.now()
    let etag: string
    try {
      etag = (await storage.put(key, body, { ...options, signal })).etag
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      return false
    }
    const leftMs = start + lifeMs / 2 - Date.now()
    // The file is gone either way: a leftover tombstone is removed by a later reader.
    if (leftMs > 0) await dropTombstone(key, etag, leftMs).catch(() => undefined)
    return true
  }

  async function dropTombstone(key: string, etag: string, ms: number): Promise<void> {
    const signal = AbortSignal.timeout(ms)
    const current = await storage.head(key, { signal })
    if (current?.etag === etag) await storage.delete(key, { signal })
  }

  async function deleteIf(key: string, etag: string, options: RequestOptions = {}) {
    let current = await storage.head(key, options)
    if (current?.etag === etag && pendingTombstone(current, lifeMs) !== null) {
      await pause(2 * lifeMs, options.signal)
      current = await storage.head(key, options)
    }
    if (!current || isTombstone(current)) return true
    return current.etag === etag && bury(current, options)
  }

  /** Steps 3 and 4: replaces exactly this version, or creates the object. */
  async function putOver(
    current: ObjectInfo | null,
    key: string,
    body: ObjectBody,
    options: PutOptions,
  ): Promise<{ readonly etag: string }> {
    const { ifMatch: _, ifNoneMatch: __, ...rest } = options
    const over = current && pendingTombstone(current, lifeMs)
    const condition = current ? { ifMatch: current.etag } : { ifNoneMatch: '*' as const }
    if (over === null) return storage.put(key, body, { ...rest, ...condition })
    const metadata = markOver(options.metadata, over)
    const put = await storage.put(key, body, { ...rest, ...condition, metadata }).catch(isRefused)
    return waitAndLook(key, put?.etag, over, options)
  }

  /** Steps 5 and 6. No etag: the put was refused, possibly because an earlier attempt succeeded. */
  async function waitAndLook(
    key: string,
    etag: string | undefined,
    over: number,
    { metadata, signal }: PutOptions,
  ): Promise<{ readonly etag: string }> {
    const findMine = async () => {
      const current = await storage.head(key, { signal })
      const isMine = current && (current.etag === etag || isBuiltOn(current, metadata))
      return isMine ? current : null
    }
    let mine = await findMine()
    if (mine && !outlives(mine, over, lifeMs)) {
      await pause(lifeMs, signal)
      mine = await findMine()
    }
    if (!mine) throw new PreconditionFailed()
    return { etag: etag ?? mine.etag }
  }

  async function create(key: string, body: ObjectBody, options: PutOptions) {
    for (;;) {
      const put = await storage.put(key, body, options).catch(isRefused)
      if (put) return put
      const current = await storage.head(key, options)
      if (current && isTombstone(current)) return putOver(current, key, body, options)
      if (current) throw new PreconditionFailed({ current })
      await pause(Math.random() * LONGEST_PAUSE_MS, options.signal)
    }
  }

  async function overwrite(key: string, body: ObjectBody, options: PutOptions) {
    for (;;) {
      const current = await storage.head(key, options)
      const put = await putOver(current, key, body, options).catch(isRefused)
      if (put) return put
      await pause(Math.random() * LONGEST_PAUSE_MS, options.signal)
    }
  }

  /** For unconditional puts: waits until no pending deletion can hit this key. */
  async function outwait(key: string, { ifNoneMatch, signal }: PutOptions): Promise<void> {
    const current = await storage.head(key, { signal })
    if (!current) return
    if (pendingTombstone(current, lifeMs) !== null) await pause(lifeMs, signal)
    if (isTombstone(current) && ifNoneMatch !== undefined) await bury(current, { signal })
  }

  async function* list(prefix: string, options: ListOptions = {}): AsyncGenerator<ListEntry> {
    let { startAfter } = options
    for (let left = options.limit ?? Infinity; left > 0;) {
      let hidden = 0
      const limit = left === Infinity ? {} : { limit: left }
      for await (const entry of storage.list(prefix, { ...options, startAfter, ...limit })) {
        startAfter = entry.kind === 'object' ? entry.object.key : `${entry.prefix}\u{10ffff}`
        if (await isHidden(entry, options)) {
          hidden++
          continue
        }
        yield entry
        left--
      }
      // Hidden entries used up part of the limit.
      if (hidden === 0 || left === Infinity) return
    }
  }

  async function isHidden(entry: ListEntry, { signal }: RequestOptions): Promise<boolean> {
    if (entry.kind !== 'object' || entry.object.bytes !== TOMBSTONE_BYTES) return false
    return !(await isThere(await storage.head(entry.object.key, { signal }), { signal }))
  }

  return {
    ...storage,

    async get(key, options = {}) {
      const object = await storage.get(key, options)
      return (await isThere(object, options)) ? object : null
    },

    async getStream(key, options = {}) {
      const object = await storage.getStream(key, options)
      if (await isThere(object, options)) return object
      await object?.body.cancel()
      return null
    },

    async head(key, options = {}) {
      const object = await storage.head(key, options)
      return (await isThere(object, options)) ? object : null
    },

    async put(key, body, options = {}) {
      const { ifMatch, ifNoneMatch } = options
      if (ifNoneMatch !== undefined) return create(key, body, options)
      if (ifMatch !== undefined) {
        const known = endangered.get(key)
        return known?.etag === ifMatch
          ? putOver(known.object, key, body, options)
          : storage.put(key, body, options)
      }
      if (byteLengthOf(body) <= MAX_CONDITIONAL_BYTES) return overwrite(key, body, options)
      await outwait(key, options)
      return storage.put(key, body, options)
    },

    async putStream(key, body, options) {
      await outwait(key, options)
      return storage.putStream(key, body, options)
    },

    async createUpload(key, options = {}) {
      const upload = await storage.createUpload(key, options)
      return {
        ...upload,
        async complete(how = {}) {
          await outwait(key, how)
          return upload.complete(how)
        },
      }
    },

    deleteIf,

    async copy(from, to, options = {}) {
      const source = await storage.head(from, options)
      if (!(await isThere(source, options))) return false
      await outwait(to, options)
      return storage.copy(from, to, { ...options, bytes: source?.bytes })
    },

    list,
  }
}

/** Turns a failed precondition into `null`. */
function isRefused(error: unknown): null {
  if (error instanceof PreconditionFailed) return null
  throw error
}
