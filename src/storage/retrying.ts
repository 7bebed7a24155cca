/** Wraps a store to retry transient failures within the caller's time. */
import type { GetOptions, ObjectInfo, RequestOptions, StorageDriver } from './driver.ts'
import { listAgain } from './list-again.ts'
import { byteLengthOf } from './object-body.ts'
import { readAll } from './read-all.ts'
import { withBackoff, withTimeLimit, type BackoffOptions } from './backoff.ts'

export interface RetryOptions extends Partial<BackoffOptions> {
  /** Time limit of one attempt, excluding the transfer. */
  readonly attemptMs?: number
  /** Slower transfers count as stalled. */
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

/** Assumed size of a copy: the store does not say. */
const COPIED_BYTES = 50 * 1024 * 1024

/**
 * A retried conditional put may be refused because its own first attempt succeeded. Callers tell
 * the two apart by something in the object itself.
 */
export function retrying(storage: StorageDriver, overrides: RetryOptions = {}): StorageDriver {
  const settings = { ...DEFAULTS, ...overrides }
  const msFor = (bytes: number) => settings.attemptMs + (bytes / settings.minBytesPerS) * 1000

  function attempt<T>(
    { signal }: RequestOptions,
    bytes: number,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withBackoff(settings, signal, () => withTimeLimit(msFor(bytes), signal, send))
  }

  const { deleteIf } = storage

  return {
    ...storage,

    ...(deleteIf && {
      deleteIf: (key: string, etag: string, options: RequestOptions = {}) =>
        attempt(options, 0, (signal) => deleteIf(key, etag, { signal })),
    }),

    // Streamed: the response's length decides how long the body may take.
    get: (key, { range, signal } = {}) =>
      withBackoff(settings, signal, async () => {
        const object = await withTimeLimit(msFor(0), signal, (ending) =>
          storage.getStream(key, { ...(range && { range }), signal: ending }),
        )
        if (!object) return null
        const bytes = bodyBytes(object, range)
        const body = await withTimeLimit(msFor(bytes), signal, (ending) =>
          readAll(object.body, bytes, ending),
        )
        return { ...object, body }
      }),

    // The body is not retried: its reader has already used parts of it.
    getStream: (key, options = {}) =>
      attempt(options, 0, (signal) => storage.getStream(key, { ...options, signal })),

    head: (key, options = {}) => attempt(options, 0, (signal) => storage.head(key, { signal })),

    put: (key, body, options = {}) =>
      attempt(options, byteLengthOf(body), (signal) =>
        storage.put(key, body, { ...options, signal }),
      ),

    delete: (key, options = {}) => attempt(options, 0, (signal) => storage.delete(key, { signal })),

    copy: (from, to, options = {}) =>
      attempt(options, COPIED_BYTES, (signal) => storage.copy(from, to, { signal })),

    list: (prefix, options = {}) =>
      listAgain(storage, prefix, options, { ...settings, stepMs: settings.attemptMs }),
  }
}

function bodyBytes({ bytes }: ObjectInfo, range: GetOptions['range']): number {
  return range ? Math.max(0, Math.min(range.length, bytes - range.offset)) : bytes
}
