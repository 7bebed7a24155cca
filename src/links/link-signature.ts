/** Signs links: HMAC-SHA-256 over a list of fields, truncated to 128 bits. */

export const SIGNATURE_BYTES = 16

const LENGTH_BYTES = 4

// Importing a key costs more than signing. Caches keys, not promises: a Worker request must not
// await another request's promise.
const keys = new Map<string, CryptoKey>()

/** Fields are length-prefixed: moving bytes between them changes the signature. */
export async function signFields(
  secret: string,
  fields: readonly Uint8Array[],
): Promise<Uint8Array> {
  const full = await crypto.subtle.sign('HMAC', await keyOf(secret), joinFields(fields))
  return new Uint8Array(full, 0, SIGNATURE_BYTES)
}

/** Whether any of the secrets signed the fields; compares in constant time. */
export async function isSigned(
  secrets: readonly string[],
  fields: readonly Uint8Array[],
  signature: Uint8Array,
): Promise<boolean> {
  const valid = await Promise.all(secrets.map((secret) => signFields(secret, fields)))
  return valid.map((bytes) => isSame(bytes, signature)).includes(true)
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret)
  if (known) return known
  const bytes = new TextEncoder().encode(secret)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  keys.set(secret, key)
  return key
}

function joinFields(fields: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = fields.reduce((sum, field) => sum + LENGTH_BYTES + field.length, 0)
  const joined = new Uint8Array(total)
  const view = new DataView(joined.buffer)
  let at = 0
  for (const field of fields) {
    view.setUint32(at, field.length)
    joined.set(field, at + LENGTH_BYTES)
    at += LENGTH_BYTES + field.length
  }
  return joined
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (const [i, byte] of a.entries()) difference |= byte ^ b[i]!
  return difference === 0
}
