/** Real randomness, fetched for many VMs at once: asking for 32 bytes costs as much as for 4,096. */

const POOL_BYTES = 4096

// Made on first use: workerd gives no randomness outside of a request.
let pool: Uint8Array<ArrayBuffer> | undefined
let used = POOL_BYTES

/** Writes random bytes from `start` on, at most as many as the pool has; none is ever handed out twice. */
export function writeRandom(target: Uint8Array, start: number, bytes: number): void {
  if (used + bytes > POOL_BYTES) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES))
    used = 0
  }
  target.set(pool!.subarray(used, used + bytes), start)
  used += bytes
}
