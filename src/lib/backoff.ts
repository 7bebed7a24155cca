/** How long to wait before the next try: exponential backoff with full jitter. */

/** @param failures So far, the first included. */
export function backoffMs(failures: number, firstMs: number, maxMs = Infinity): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** (failures - 1))
}
