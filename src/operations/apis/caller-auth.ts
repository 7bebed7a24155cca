/** Credentials that a caller sends for APIs: used for one request, never stored or logged. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { Service } from '../service.ts'
import { once } from '../../lib/once.ts'
import type { CallerCredential } from '../../sdk/secrets/credentials.ts'

const MAX_LENGTH = 8192
const WHAT = `must be a token or key, or {username, password}, of at most ${MAX_LENGTH} characters`

/** Keyed by API. */
export const callerAuthField = once(() => {
  // Headers cannot contain control characters, and UTF-8 cannot encode a lone surrogate.
  const text = z
    .string(WHAT)
    .min(1, WHAT)
    .max(MAX_LENGTH, WHAT)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, WHAT)
  const credential = z.union([text, z.strictObject({ username: text, password: text }, WHAT)], WHAT)
  return z
    .record(z.string(), credential, 'must be an object')
    .optional()
    .describe('Your own credentials for APIs that accept them, by the name of the API.')
})

export type CallerAuth = z.output<ReturnType<typeof callerAuthField>>

/** @throws {AppError} `invalid_request` for an unknown API, or one that takes none. */
export function checkCallerAuth(
  given: CallerAuth,
  { apis }: Service,
): ReadonlyMap<string, CallerCredential> {
  const entries = Object.entries(given ?? {})
  for (const [name] of entries) {
    const api = apis?.catalog.apis.find((candidate) => candidate.name === name)
    if (api?.takesCallerAuth) continue
    const problem = api
      ? 'does not accept credentials from callers'
      : 'is not an API of this service'
    throw new AppError('invalid_request', `auth.${name}: ${problem}`)
  }
  return new Map(entries)
}
