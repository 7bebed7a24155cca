/** Signals for stores whose requests cannot be cancelled. */

/** Rejects with the signal's reason as soon as it aborts; the request itself may go on unseen. */
export async function rejectOnAbort<T>(
  signal: AbortSignal | undefined,
  request: () => Promise<T>,
): Promise<T> {
  if (!signal) return request()
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([request(), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
