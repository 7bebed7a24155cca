/** Forces a garbage collection. */

/** More than any machine has. */
const IMPOSSIBLE_BYTES = 2 ** 52

/**
 * Takes some 15 ms.
 *
 * Runtimes do not expose this, and V8 does not count WebAssembly memories: a dozen dead 32 MiB VMs
 * stay in a 128 MB isolate for seconds. But V8 collects all it can before it refuses to allocate.
 */
export function collectGarbage(): void {
  try {
    void new ArrayBuffer(IMPOSSIBLE_BYTES).byteLength
  } catch {
    // Expected: a RangeError.
  }
}
