/** The issuer's public keys: fetched lazily, refreshed at a limited rate, kept during outages. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { AppError } from '../errors.ts'

const FETCH_TIMEOUT_MS = 5_000
const POLL_MS = 20
/** Made-up key ids must not trigger a request each. */
const RENEWAL_PAUSE_MS = 30_000
/** Without keys every request fails, so the first fetch is retried sooner. */
const FIRST_FETCH_PAUSE_MS = 1_000
/** Revoked keys stop working after this time. */
const MAX_AGE_MS = 10 * 60_000
/** Longer during an outage, but no longer than most tokens live. */
const MAX_AGE_IN_OUTAGE_MS = 60 * 60_000

/**
 * The returned function throws {@link AppError} `keys_unavailable` if keys are missing or broken,
 * and jose's `JWKSNoMatchingKey` or `JWKSMultipleMatchingKeys` only if the token is at fault.
 */
export function remoteKeys(url: string, now: () => Date): JWTVerifyGetKey {
  // By default jose refetches for every unknown key during an outage, and drops good keys.
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  })
  let loadedAt = -Infinity
  let failure: { readonly cause: unknown; readonly at: number } | undefined
  /** The request in flight, which others wait for instead of sending their own. */
  let request: { readonly endsBefore: number } | undefined

  const keyAge = () => now().getTime() - loadedAt

  async function load(): Promise<void> {
    const pauseMs = loadedAt === -Infinity ? FIRST_FETCH_PAUSE_MS : RENEWAL_PAUSE_MS
    if (failure && now().getTime() - failure.at < pauseMs) throw keysUnavailable(failure.cause)
    const own = { endsBefore: Date.now() + FETCH_TIMEOUT_MS + POLL_MS }
    request = own
    try {
      await keySet.reload()
      loadedAt = now().getTime()
    } catch (cause) {
      failure = { cause, at: now().getTime() }
      throw keysUnavailable(cause)
    } finally {
      if (request === own) request = undefined
    }
  }

  /** Polls: a workerd request must not await another's promise. */
  async function loadOrPoll(): Promise<void> {
    const isInFlight = () => request !== undefined && Date.now() <= request.endsBefore
    if (!isInFlight()) return load()
    while (isInFlight()) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (failure && failure.at >= loadedAt) throw keysUnavailable(failure.cause)
  }

  async function loadIfStale(): Promise<void> {
    if (keyAge() < MAX_AGE_MS) return
    try {
      await loadOrPoll()
    } catch (error) {
      if (keyAge() >= MAX_AGE_IN_OUTAGE_MS) throw error
    }
  }

  const lookUp: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keySet(header, token)
    } catch (error) {
      const isAboutToken =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys
      throw isAboutToken ? error : keysUnavailable(error)
    }
  }

  return async function findKey(header, token) {
    await loadIfStale()
    try {
      return await lookUp(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && keyAge() >= RENEWAL_PAUSE_MS
      if (!mayBeNew) throw error
    }
    await loadOrPoll()
    return lookUp(header, token)
  }
}

function keysUnavailable(cause: unknown): AppError {
  return new AppError(
    'keys_unavailable',
    'Tokens cannot be checked right now. Try again shortly.',
    { cause },
  )
}
