/** Any store with patience: transient failures are tried again, inside the time the caller has. */
import type { GetOptions, ObjectInfo, RequestOptions, StorageDriver } from './driver.ts'
import { listAgain } from './list-again.ts'
import { byteLengthOf } from './object-body.ts'
import { readAll } from './read-all.ts'
import { tryAgain, within, type Patience } from './backoff.ts'

/** Patience, and what counts as a stall. */
export interface RetryOptions extends Partial<Patience> {
  /** What one try may take, apart from the bytes that have to travel. */
  readonly attemptMs?: number
  /** A body that is slower than this counts as stalled. */
  readonly minBytesPerS?: number
}

const DEFAULTS: Required<RetryOptions> = {
  attempts: 5,
  firstPauseMs: 100,
  maxPauseMs: 2_000,
  maxRetryAfterMs: 5_000,
  attemptMs: 5_000,
  minBytesPerS: 1_000_000,
}

/** What a copy may move: the store does it, and nobody told the size. */
const COPIED_BYTES = 50 * 1024 * 1024

/**
 * The same store, each of whose requests may be tried several times.
 *
 * A put that is tried again may meet its own first try, and is then refused by its condition although it
 * got through. Whoever puts under one tells the two apart by something in the object itself.
 */
export function retrying(storage: StorageDriver, chosen: RetryOptions = {}): StorageDriver {
  const patience = { ...DEFAULTS, ...chosen }
  const msFor = (bytes: number) => patience.attemptMs + (bytes / patience.minBytesPerS) * 1000

  function ask<T>(
    { signal }: RequestOptions,
    bytes: number,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return tryAgain(patience, signal, () => within(msFor(bytes), signal, request))
  }

  const { deleteIf } = storage

  return {
    ...storage,

    ...(deleteIf && {
      deleteIf: (key: string, etag: string, options: RequestOptions = {}) =>
        ask(options, 0, (signal) => deleteIf(key, etag, { signal })),
    }),

    // As a stream, because only the answer tells how long the bytes may take.
    get: (key, { range, signal } = {}) =>
      tryAgain(patience, signal, async () => {
        const object = await within(msFor(0), signal, (ending) =>
          storage.getStream(key, { ...(range && { range }), signal: ending }),
        )
        if (!object) return null
        const bytes = bodyBytes(object, range)
        const body = await within(msFor(bytes), signal, (ending) =>
          readAll(object.body, bytes, ending),
        )
        return { ...object, body }
      }),

    // Once there is a body it is its reader's: nobody can take back what was read of it.
    getStream: (key, options = {}) =>
      ask(options, 0, (signal) => storage.getStream(key, { ...options, signal })),

    head: (key, options = {}) => ask(options, 0, (signal) => storage.head(key, { signal })),

    put: (key, body, options = {}) =>
      ask(options, byteLengthOf(body), (signal) => storage.put(key, body, { ...options, signal })),

    delete: (key, options = {}) => ask(options, 0, (signal) => storage.delete(key, { signal })),

    copy: (from, to, options = {}) =>
      ask(options, COPIED_BYTES, (signal) => storage.copy(from, to, { signal })),

    list: (prefix, options = {}) =>
      listAgain(storage, prefix, options, { ...patience, stepMs: patience.attemptMs }),
  }
}

/** Of a range, what lies inside the object. */
function bodyBytes({ bytes }: ObjectInfo, range: GetOptions['range']): number {
  return range ? Math.max(0, Math.min(range.length, bytes - range.offset)) : bytes
}
