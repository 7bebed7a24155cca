/** Real randomness, fetched for many VMs at once: asking for 32 bytes costs as much as for 4,096. */

const POOL_BYTES = 4096

// Made on first use: workerd gives no randomness outside of a request.
let pool: Uint8Array<ArrayBuffer> | undefined
let used = POOL_BYTES

/** Fills `target`, at most the pool's size; no byte is ever handed out twice. */
export function fillRandom(target: Uint8Array): void {
  if (used + target.length > POOL_BYTES) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES))
    used = 0
  }
  target.set(pool!.subarray(used, used + target.length))
  used += target.length
}
