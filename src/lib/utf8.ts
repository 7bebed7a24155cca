/** Checks UTF-8 without making one string of it, which would be a second and larger copy. */

const PIECE_BYTES = 16_384

/** Whether a strict decoder accepts all of it. */
export function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
    }
    decoder.decode()
    return true
  } catch {
    return false
  }
}
