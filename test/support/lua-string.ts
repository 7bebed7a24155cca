/** Bytes as a Lua string literal, so that no byte is left to the editor or to UTF-8. */
export function luaString(text: string | Iterable<number>): string {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return `"${Array.from(bytes, (byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`
}
