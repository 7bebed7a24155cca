/** Hashes and keys of Web Crypto. */
import { toHex } from './encode.ts'
import { Sha256 } from './sha256.ts'

/** On Node, Web Crypto takes a thread of its own and back, which costs more than a few blocks. */
const MAX_SHORT_BYTES = 512

// Importing a key costs more than using it. Caches keys, not promises: a Worker request must not
// await another request's promise.
const keys = new Map<string, CryptoKey>()

/** For HMAC-SHA-256. */
export async function hmacKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret)
  if (known) return known
  const key = await hmacKeyOf(new TextEncoder().encode(secret))
  keys.set(secret, key)
  return key
}

/** For keys that are not used often. */
export function hmacKeyOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify'])
}

export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= MAX_SHORT_BYTES) return new Sha256().update(bytes).hex()
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
