/** The signature of links: HMAC-SHA-256 over a list of fields, cut to 128 bits. */

/** Length of a signature. */
export const SIGNATURE_BYTES = 16

const LENGTH_BYTES = 4

// Importing a key costs more than signing with it. The keys are kept, not the promises of them: on
// Workers a request must not wait for what another one began.
const keys = new Map<string, CryptoKey>()

/** Two lists of fields never give one signature, however their bytes are divided. */
export async function signFields(
  secret: string,
  fields: readonly Uint8Array[],
): Promise<Uint8Array> {
  const full = await crypto.subtle.sign('HMAC', await keyOf(secret), joinFields(fields))
  return new Uint8Array(full, 0, SIGNATURE_BYTES)
}

/** Whether one of the secrets signed the fields; takes the same time wherever a wrong signature differs. */
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

/** Each field behind its length. */
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
