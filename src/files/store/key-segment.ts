/** Maps untrusted names to object key segments, injectively. */

const MAX_LENGTH = 64
const HASH_LENGTH = 26
const SEPARATOR = '--'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * Valid segments are kept. Others become a readable stem, `--` and a hash prefix; names containing
 * `--` are hashed too, so a chosen name cannot collide with a derived one.
 */
export async function keySegment(name: string): Promise<string> {
  if (isSegment(name)) return name
  const stem = name.replaceAll(/[^A-Za-z0-9_]+/g, '_')
  const kept = stem.slice(0, MAX_LENGTH - SEPARATOR.length - HASH_LENGTH)
  return `${kept}${SEPARATOR}${await shortHash(name)}`
}

function isSegment(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name) && name.length <= MAX_LENGTH && !name.includes(SEPARATOR)
}

/** 130 bits of SHA-256. Callers must reject lone surrogates: they all encode to U+FFFD. */
async function shortHash(name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return base32(new Uint8Array(digest)).slice(0, HASH_LENGTH)
}

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!)
}
