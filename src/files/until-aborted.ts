/** Stops waiting when a run is over, also for stores that cannot cancel a request. */

/** Whatever ends a run; the signal is asked for only when there is something to wait for. */
export interface Ending {
  readonly signal: AbortSignal
}

/** Rejects with the signal's reason as soon as it aborts; the work itself may go on unseen. */
export function untilAborted<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work()
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    work()
      .finally(() => signal.removeEventListener('abort', abort))
      .then(resolve, reject)
  })
}
