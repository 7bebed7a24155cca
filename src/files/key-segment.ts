/** Turns names that outsiders chose into segments of object keys, no two names into one. */

const MAX_LENGTH = 64
const HASH_LENGTH = 26
const SEPARATOR = '--'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * A name that is already a segment stays as it is. Any other becomes a readable stem, `--` and the
 * start of its hash; names that contain `--` do too, so that nobody can call himself after such a result.
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

/** 130 bits of SHA-256 over UTF-8. Callers refuse names that UTF-8 cannot hold: it would make them one. */
async function shortHash(name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return base32(new Uint8Array(digest)).slice(0, HASH_LENGTH)
}

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!)
}
