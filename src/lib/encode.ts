/** Bytes as text, and back: Node 24 has no `toHex` and `toBase64` of byte arrays yet. */

/** As many at a time: a multiple of three, so that base64 needs no padding between. */
const CHUNK_BYTES = 24_576

export function toHex(bytes: Uint8Array): string {
  return inChunks(bytes, (chunk) =>
    Array.from(chunk, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  )
}

/** Only for an even number of hexadecimal digits. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  }
  return bytes
}

export function toBase64(bytes: Uint8Array): string {
  return inChunks(bytes, (chunk) => btoa(latin1Of(chunk)))
}

/** @throws {DOMException} for what is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return fromLatin1(atob(text))
}

/** Without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Gives `null` for everything that {@link toBase64url} does not write, unused bits included. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  // One character more than whole groups holds six bits, which make no byte.
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  return toBase64url(bytes) === text ? bytes : null
}

/** A character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  return inChunks(bytes, latin1Of)
}

/** Only for characters up to U+00FF. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/**
 * RFC 3986's unreserved characters stay. `encodeURIComponent` also leaves `!'()*` alone, which
 * signatures of S3 do not.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A call takes only so many arguments. */
export function inChunks(bytes: Uint8Array, write: (chunk: Uint8Array) => string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += write(bytes.subarray(at, at + CHUNK_BYTES))
  }
  return text
}

function latin1Of(chunk: Uint8Array): string {
  return String.fromCharCode(...chunk)
}
