/** Makes the engine give back memory that nobody can reach any more. */

/** More than any machine has. */
const IMPOSSIBLE_BYTES = 2 ** 52

/**
 * Collects all garbage, in some 15 ms.
 *
 * No runtime offers this to ordinary code, and it is needed: V8 does not count the memories of
 * WebAssembly, so that a dozen dead VMs of 32 MiB stay in an isolate of 128 MB for seconds. But
 * before V8 refuses to allocate a buffer, it collects everything it can.
 */
export function collectGarbage(): void {
  try {
    void new ArrayBuffer(IMPOSSIBLE_BYTES).byteLength
  } catch {
    // A RangeError, as intended.
  }
}
