/** API discovery for callers, in small pieces: the whole catalog would fill a model's context. */
import * as z from 'zod'
import type { Scope } from '../../caller.ts'
import { AppError } from '../../errors.ts'
import type { ApiInfo, Catalog } from '../../sdk/catalog/catalog.ts'
import type { Discovery } from '../../sdk/search/discovery.ts'
import { didYouMean, quoteName } from '../../sdk/catalog/names.ts'
import { openDiscovery } from '../../sdk/call/run-apis.ts'
import { RaisedInLua } from '../../vm/script-error.ts'
import { READS_ONLY } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { checkCallerAuth, type CallerAuth } from './caller-auth.ts'

/** Upper bound on what servers may send for one response; a lower limit for scripts applies too. */
const MAX_ANSWERS_BYTES = 4_194_304

/** Callers that may run scripts may know what scripts can call. */
export const ABOUT_APIS = {
  scopes: ['execute'] as readonly Scope[],
  hints: READS_ONLY,
  needsApis: true,
}

interface Known {
  readonly catalog: Catalog
  readonly discovery: Discovery
}

export const nameField = (example: string) => z.string('must be a string').describe(example)

/** Turns errors meant for scripts into `not_found`, and aborts pending requests at the end. */
export async function askApis<T>(
  { service, signal }: RequestContext,
  auth: CallerAuth,
  answer: (known: Known) => T | Promise<T>,
): Promise<T> {
  const { apis, config } = service
  if (!apis) throw new AppError('not_found', 'No APIs are configured.')
  const callerAuth = checkCallerAuth(auth, service)
  const over = new AbortController()
  const discovery = openDiscovery({
    ...apis,
    limits: { ...config.limits, apiBytes: Math.min(config.limits.apiBytes, MAX_ANSWERS_BYTES) },
    callerAuth,
    ending: { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal },
  })
  try {
    return await answer({ catalog: apis.catalog, discovery })
  } catch (error) {
    if (error instanceof RaisedInLua) throw new AppError('not_found', error.message)
    if (signal?.aborted) throw new AppError('busy', 'The caller has gone.')
    throw error
  } finally {
    over.abort()
  }
}

/** @throws {AppError} `not_found` */
export function findApi({ apis }: Catalog, name: string): ApiInfo {
  const found = apis.find((api) => api.name === name)
  if (found) return found
  const names = apis.map((api) => api.name)
  const there = didYouMean(name, names) || `; there are ${names.join(', ')}.`
  throw new AppError('not_found', `There is no API ${quoteName(name)}${there}`)
}
