/** What a token says about its owner. Only the service can tell whether it is true. */
import { fromBase64url } from '../../../lib/encode.ts'

/** `undefined` where the token does not say. */
export interface TokenClaims {
  readonly tenant?: string | undefined
  readonly user?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: Date | undefined
}

/** `null` for what is not a JWT: an API key says nothing about itself. */
export function findClaims(token: string): TokenClaims | null {
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

/** Known without asking the service; an API key does not say. */
export function isOver(token: string, now = new Date()): boolean {
  const { expiresAt } = findClaims(token) ?? {}
  return expiresAt !== undefined && expiresAt <= now
}

/** What a person pastes may have line breaks, quotes or the word that stands before it in headers. */
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
    // Three parts by chance.
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
