/** A pool of random bytes: fetching 32 costs as much as 4,096. */

const POOL_BYTES = 4096

// Lazy: workerd has no randomness outside a request.
let pool: Uint8Array<ArrayBuffer> | undefined
let used = POOL_BYTES

/** Writes at most a pool's worth; never the same bytes twice. */
export function writeRandom(target: Uint8Array, start: number, bytes: number): void {
  if (used + bytes > POOL_BYTES) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES))
    used = 0
  }
  target.set(pool!.subarray(used, used + bytes), start)
  used += bytes
}
