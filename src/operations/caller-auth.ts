/** The credentials that a caller brings for APIs: used for this one run, kept and logged nowhere. */
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { CallerCredential } from '../sdk/credentials.ts'
import type { Service } from './service.ts'

const credential = z.union(
  [z.string(), z.strictObject({ username: z.string(), password: z.string() })],
  'must be a token or key, or {username, password}',
)

/** By API. */
export const callerAuth = z.record(z.string(), credential, 'must be an object').optional()

/** @throws {AppError} `invalid_request` for an API that does not take any. */
export function checkCallerAuth(
  given: z.output<typeof callerAuth>,
  { apis }: Service,
): ReadonlyMap<string, CallerCredential> {
  const entries = Object.entries(given ?? {})
  for (const [name] of entries) {
    const api = apis?.catalog.apis.find((candidate) => candidate.name === name)
    if (api?.takesCallerAuth) continue
    const problem = api ? 'takes no credential of callers' : 'is no API of this service'
    throw new AppError('invalid_request', `auth.${name}: ${problem}`)
  }
  return new Map(entries)
}
