/** The pace of trying again: exponential backoff with full jitter, or as long as the store asks for. */
import { pause } from '../lib/abort.ts'
import { AttemptTimedOut, isTransient, retryAfterMs } from './is-transient.ts'

/** How patient; the caller's signal ends everything earlier. */
export interface Patience {
  /** Tries of one request, the first included. */
  readonly attempts: number
  /** The longest pause after the first failure; it doubles with each further one. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** A store that asks to be left alone for longer is not waited for. */
  readonly maxRetryAfterMs: number
}

/** Tries until it succeeds, fails for good, or patience or the caller's time is over. */
export async function tryAgain<T>(
  patience: Patience,
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

/** Waits before the next try; rejects with the error when there should be none. */
export async function pauseAfter(
  error: unknown,
  failures: number,
  patience: Patience,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const askedMs = retryAfterMs(error) ?? 0
  const isHopeless = failures >= patience.attempts || askedMs > patience.maxRetryAfterMs
  if (isHopeless || !isTransient(error)) throw error
  const longestMs = Math.min(patience.maxPauseMs, patience.firstPauseMs * 2 ** (failures - 1))
  await pause(askedMs + Math.random() * longestMs, signal)
}

/** Ends a try that takes too long, so that another can be made; its signal also ends with the caller's. */
export async function within<T>(
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
