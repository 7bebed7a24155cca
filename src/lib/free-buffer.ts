/** Frees memory without waiting for the garbage collector. */

/** The buffer and all its views are empty afterwards. */
export function freeBuffer(buffer: ArrayBuffer): void {
  buffer.transfer(0)
}
