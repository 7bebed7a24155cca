/** Abort signals for requests that cannot be cancelled. */

/** Rejects as soon as the signal aborts; the request itself goes on. */
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
