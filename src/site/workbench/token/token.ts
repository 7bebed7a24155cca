/** The tab's token: kept in session storage only, its claims unverified. */
import { cell, type Cell } from '../page/dom.ts'
import { fromBase64url } from '../../../lib/encode.ts'

const KEY = 'moonbucket.token'

/** Empty if none. */
export function tokenSession(): Cell<string> {
  const token = cell(sessionStorage.getItem(KEY) ?? '')
  token.watch((value) => {
    if (value === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, value)
  })
  return token
}

/** `undefined` if absent. */
export interface ShownClaims {
  readonly tenant?: string | undefined
  readonly user?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: Date | undefined
}

/** `null` if not a JWT, e.g. an API key. */
export function findClaims(token: string): ShownClaims | null {
  const claims = decodePayload(token)
  if (!claims) return null
  const { tenant, sub, scope, exp } = claims
  return {
    tenant: textOf(tenant),
    user: textOf(sub),
    scopes: scopesOf(scope),
    expiresAt: typeof exp === 'number' ? new Date(exp * 1000) : undefined,
  }
}

/** Expired by its own claim; unknown for API keys. */
export function isOver(token: string, now = new Date()): boolean {
  const { expiresAt } = findClaims(token) ?? {}
  return expiresAt !== undefined && expiresAt <= now
}

/** Strips line breaks, quotes and the word Bearer from pasted text. */
export function cleanToken(pasted: string): string {
  return pasted
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replaceAll(/[\s"']/g, '')
}

function decodePayload(token: string): Record<string, unknown> | null {
  const parts = token.split('.')
  if (parts.length !== 3) return null
  try {
    const bytes = fromBase64url(parts[1]!)
    const value: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    // Not a JWT after all.
    return null
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function scopesOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '')
  return Array.isArray(value) ? value.map(String) : undefined
}

/** The dev server's token; elsewhere the path does not exist. */
export async function findLocalToken(): Promise<string | null> {
  try {
    const response = await fetch('/local-token.json')
    if (!response.ok) return null
    const { token } = (await response.json()) as { token?: unknown }
    return typeof token === 'string' ? token : null
  } catch {
    return null
  }
}
