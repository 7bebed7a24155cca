/** API keys that the service makes: the key, its id, and what is stored of it. */
import type { Scope } from '../../caller.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import { toBase64url, toHex } from '../../lib/encode.ts'
import type { Quotas } from '../../quotas.ts'

/** Never the key. Times are epoch milliseconds. */
export interface KeyRecord {
  readonly id: string
  /** SHA-256 of the key in hex. */
  readonly hash: string
  readonly tenant: string
  readonly user?: string | undefined
  readonly name?: string | undefined
  readonly scopes: readonly Scope[]
  readonly paths?: readonly string[] | undefined
  /** Of the token that made it: a key is no way around them. */
  readonly quotas?: Quotas | undefined
  readonly createdAt: number
  /** The user who made it. */
  readonly createdBy: string | null
  readonly expiresAt?: number | undefined
}

const KEY = /^mb_[\w-]{43}$/
const KEY_BYTES = 32

/** The inverted time of creation, the expiry in seconds, and random digits. */
const ID = /^(?<created>[0-9a-f]{12})(?<expires>[0-9a-f]{8})[0-9a-f]{12}$/
const MAX_TIME = 16 ** 12 - 1
const NEVER = 16 ** 8 - 1
const RANDOM_BYTES = 6

export async function newKey(): Promise<{ readonly key: string; readonly hash: string }> {
  const key = `mb_${toBase64url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))}`
  return { key, hash: await sha256Hex(new TextEncoder().encode(key)) }
}

/** Whether it looks like a key that the service made: nothing else is worth a lookup. */
export function isIssuedKey(token: string): boolean {
  return KEY.test(token)
}

/** Listings are newest first, and the sweep finds expired keys without reading any. */
export function newKeyId(createdAt: number, expiresAt: number | undefined): string {
  const created = (MAX_TIME - createdAt).toString(16).padStart(12, '0')
  const expires = expiresAt === undefined ? NEVER : Math.ceil(expiresAt / 1000)
  const random = toHex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
  return created + expires.toString(16).padStart(8, '0') + random
}

export function isKeyId(text: string): boolean {
  return ID.test(text)
}

/** @param id A valid one. */
export function isOver(id: string, now: Date): boolean {
  const seconds = Number.parseInt(ID.exec(id)!.groups!.expires!, 16)
  return seconds !== NEVER && seconds * 1000 <= now.getTime()
}
