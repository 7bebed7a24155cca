/** Bytes as a Lua string literal of decimal escapes, so that any byte survives. */
export function luaString(text: string | Iterable<number>): string {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return `"${Array.from(bytes, (byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`
}
