/** Settings, a clock and outcomes that suites about tokens share. */
import { SCOPES } from '../../src/caller.ts'
import type { AuthConfig } from '../../src/config.ts'
import { AppError } from '../../src/errors.ts'
import { TEST_SECRET } from '../support/sign-token.ts'

export const NOW = new Date('2026-03-01T12:00:00Z')
export const NOW_S = NOW.getTime() / 1000

/** HS256 only, with every default. */
export const SECRET_AUTH: AuthConfig = {
  secret: TEST_SECRET,
  tenantClaim: 'tenant',
  defaultScopes: SCOPES,
  apiKeys: new Map(),
}

/** A refusal as a caller sees it; whatever is no {@link AppError} is thrown on. */
export async function refusalOf(outcome: Promise<unknown>): Promise<string> {
  try {
    return `accepted: ${JSON.stringify(await outcome)}`
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return `${error.code}: ${error.message}`
  }
}

/** What `API_KEYS` holds instead of a key. */
export async function sha256Hex(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
