/** Base64url without padding, with one spelling for each sequence of bytes. */

/** Longer texts are nothing this service ever wrote. */
const MAX_LENGTH = 4096

/** For short sequences: all bytes pass through the stack at once. */
export function encodeBase64url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Gives `null` for everything that {@link encodeBase64url} does not write, unused bits included. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  // One character more than whole groups holds six bits, which make no byte.
  if (!/^[\w-]*$/.test(text) || text.length > MAX_LENGTH || text.length % 4 === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return encodeBase64url(bytes) === text ? bytes : null
}
