/** The public keys of whoever issues the tokens: fetched when first needed, renewed with restraint, kept in an outage. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { AppError } from '../errors.ts'

const FETCH_TIMEOUT_MS = 5_000
const WATCH_MS = 20
/** Tokens with made-up key ids arrive at any rate; requests for new keys must not. */
const RENEWAL_PAUSE_MS = 30_000
/** Without any key nobody gets in, so a failed first fetch is repeated sooner. */
const FIRST_FETCH_PAUSE_MS = 1_000
/** Withdrawn keys stop working after this time. */
const MAX_AGE_MS = 10 * 60_000
/** In an outage keys serve longer, but no longer than most tokens live: nobody can be issued new ones. */
const MAX_AGE_IN_OUTAGE_MS = 60 * 60_000

/**
 * Finds the key a token names.
 *
 * The function it returns throws {@link AppError} `keys_unavailable` when keys are missing or broken, and
 * jose's `JWKSNoMatchingKey` or `JWKSMultipleMatchingKeys` only when the fault is the token's.
 */
export function remoteKeys(url: string, now: () => Date): JWTVerifyGetKey {
  // Left to itself jose asks again for every unknown key while the issuer fails, and drops good keys.
  const keySet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  })
  let loadedAt = -Infinity
  let failure: { readonly cause: unknown; readonly at: number } | undefined
  /** A request for the keys that is under way: of those who come meanwhile, nobody sends another. */
  let request: { readonly endsBefore: number } | undefined

  const keyAge = () => now().getTime() - loadedAt

  async function load(): Promise<void> {
    const pauseMs = loadedAt === -Infinity ? FIRST_FETCH_PAUSE_MS : RENEWAL_PAUSE_MS
    if (failure && now().getTime() - failure.at < pauseMs) throw keysUnavailable(failure.cause)
    const own = { endsBefore: Date.now() + FETCH_TIMEOUT_MS + WATCH_MS }
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

  /** Watches instead of waiting for the other's promise, which in workerd no request may do. */
  async function loadOrWatch(): Promise<void> {
    const isUnderWay = () => request !== undefined && Date.now() <= request.endsBefore
    if (!isUnderWay()) return load()
    while (isUnderWay()) await new Promise((resolve) => setTimeout(resolve, WATCH_MS))
    if (failure && failure.at >= loadedAt) throw keysUnavailable(failure.cause)
  }

  async function loadIfOld(): Promise<void> {
    if (keyAge() < MAX_AGE_MS) return
    try {
      await loadOrWatch()
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
    await loadIfOld()
    try {
      return await lookUp(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && keyAge() >= RENEWAL_PAUSE_MS
      if (!mayBeNew) throw error
    }
    await loadOrWatch()
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
