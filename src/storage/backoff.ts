/** Retries: exponential backoff with full jitter, or the store's Retry-After. */
import { pause } from '../lib/abort.ts'
import { AttemptTimedOut, isTransient, storeRetryAfterMs } from './is-transient.ts'

/** The caller's signal ends retries earlier. */
export interface BackoffOptions {
  /** Including the first. */
  readonly attempts: number
  /** Upper bound of the first pause; doubles with each failure. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** Gives up if the store asks for a longer wait. */
  readonly maxRetryAfterMs: number
}

/** Retries until success, a permanent error, the attempt limit or the signal. */
export async function withBackoff<T>(
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
export async function pauseAfter(
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
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new AttemptTimedOut(ms)), ms)
  try {
    return await attempt(signal ? AbortSignal.any([signal, ending.signal]) : ending.signal)
  } finally {
    clearTimeout(timer)
  }
}
