/** Cursors: where an answer ended, as text that a client sends back. */
import { fromBase64url, toBase64url } from '../../lib/encode.ts'

export function encodeCursor(position: readonly unknown[]): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify(position)))
}

/** Clients may send anything: the caller checks what comes out. `undefined` if it is no cursor. */
export function decodeCursor(cursor: string): unknown {
  const bytes = fromBase64url(cursor) ?? new Uint8Array()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
