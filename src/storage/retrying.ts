/** Wraps a store to retry transient failures within the caller's time. */
import type {
  GetOptions,
  ObjectInfo,
  PartUpload,
  RequestOptions,
  StorageDriver,
  ListEntry,
  ListOptions,
} from './driver.ts'
import { byteLengthOf } from './object-body.ts'
import { readAll } from './read-stream.ts'
import { pause, untilAborted } from '../lib/abort.ts'
import { AttemptTimedOut, isTransient, storeRetryAfterMs } from './errors.ts'
import { compareUtf8, entryName } from './key-order.ts'

interface RetryOptions extends Partial<BackoffOptions> {
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

/** Assumed size of a copy whose size is not known. */
const COPIED_BYTES = 50 * 1024 * 1024

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2_147_483_647
/** Stores may join the parts of an upload before they answer. */
const COMPLETE_FACTOR = 6

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

  function retryingParts(upload: PartUpload): PartUpload {
    return {
      putPart: (number, body, options = {}) =>
        attempt(options, byteLengthOf(body), (signal) => upload.putPart(number, body, { signal })),

      async complete({ signal } = {}) {
        let unclear: unknown
        const completed = withBackoff(settings, signal, () =>
          withTimeLimit(settings.attemptMs * COMPLETE_FACTOR, signal, (ending) =>
            upload.complete({ signal: ending }).catch((error: unknown) => {
              if (isTransient(error)) unclear ??= error
              throw error
            }),
          ),
        )
        return completed.catch((error: unknown) => {
          // The store no longer knows an upload that an earlier attempt completed.
          throw signal?.aborted ? error : (unclear ?? error)
        })
      },

      abort: () => attempt({}, 0, (signal) => untilAborted(signal, () => upload.abort())),
    }
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

    // A retry whose predecessor got through unnoticed leaves an upload that nobody completes: the
    // store's own clean-up removes it.
    createUpload: async (key, options = {}) =>
      retryingParts(
        await attempt(options, 0, (signal) => storage.createUpload(key, { ...options, signal })),
      ),

    delete: (key, options = {}) => attempt(options, 0, (signal) => storage.delete(key, { signal })),

    copy: (from, to, options = {}) =>
      attempt(options, options.bytes ?? COPIED_BYTES, (signal) =>
        storage.copy(from, to, { ...options, signal }),
      ),

    list: (prefix, options = {}) =>
      listAgain(storage, prefix, options, { ...settings, stepMs: settings.attemptMs }),
  }
}

function bodyBytes({ bytes }: ObjectInfo, range: GetOptions['range']): number {
  return range ? Math.max(0, Math.min(range.length, bytes - range.offset)) : bytes
}

/** The caller's signal ends retries earlier. */
interface BackoffOptions {
  /** Including the first. */
  readonly attempts: number
  /** Upper bound of the first pause; doubles with each failure. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** Gives up if the store asks for a longer wait. */
  readonly maxRetryAfterMs: number
}

/**
 * Exponential backoff with full jitter, or the store's Retry-After. Retries until success, a
 * permanent error, the attempt limit or the signal.
 */
async function withBackoff<T>(
  patience: BackoffOptions,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      await pauseAfter(error, failures, patience, signal)
    }
  }
}

/** Waits before the next attempt; rethrows if there should be none. */
async function pauseAfter(
  error: unknown,
  failures: number,
  patience: BackoffOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const serverMs = storeRetryAfterMs(error) ?? 0
  const isExhausted = failures >= patience.attempts || serverMs > patience.maxRetryAfterMs
  if (isExhausted || !isTransient(error)) throw error
  const longestMs = Math.min(patience.maxPauseMs, patience.firstPauseMs * 2 ** (failures - 1))
  await pause(serverMs + Math.random() * longestMs, signal)
}

/** Limits one attempt's time, so that it can be retried; combines with the caller's signal. */
async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new AttemptTimedOut(ms)), Math.min(ms, MAX_TIMER_MS))
  try {
    return await attempt(signal ? AbortSignal.any([signal, ending.signal]) : ending.signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Restarts after a failure and skips what was yielded: objects and prefixes are each sorted, so the
 * last of each suffices. Every new entry resets the failure count.
 *
 * @param stepMs Time limit for the next entry.
 */
async function* listAgain(
  storage: StorageDriver,
  prefix: string,
  options: ListOptions,
  backoff: BackoffOptions & { readonly stepMs: number },
): AsyncGenerator<ListEntry> {
  const { limit = Infinity, ...rest } = options
  const last: Partial<Record<ListEntry['kind'], string>> = {}
  let yielded = 0
  for (let failures = 1; ; failures++) {
    try {
      // A restart may meet new entries: only yielded ones count.
      const wanted = yielded === 0 ? options : rest
      for await (const entry of withStepLimit(storage, prefix, wanted, backoff.stepMs)) {
        const previous = last[entry.kind]
        if (previous !== undefined && compareUtf8(entryName(entry), previous) <= 0) continue
        last[entry.kind] = entryName(entry)
        failures = 0
        yield entry
        if (++yielded >= limit) return
      }
      return
    } catch (error) {
      await pauseAfter(error, failures, backoff, options.signal)
    }
  }
}

/** Does not count the consumer's time. */
async function* withStepLimit(
  storage: StorageDriver,
  prefix: string,
  options: ListOptions,
  stepMs: number,
): AsyncGenerator<ListEntry> {
  const ending = new AbortController()
  const signals = [ending.signal, ...(options.signal ? [options.signal] : [])]
  const listing = storage.list(prefix, { ...options, signal: AbortSignal.any(signals) })
  const entries = listing[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => ending.abort(new AttemptTimedOut(stepMs)), stepMs)
      const step = await entries.next().finally(() => clearTimeout(timer))
      if (step.done) return
      yield step.value
    }
  } finally {
    await entries.return?.()
  }
}
