/** `Idempotency-Key`: requests with the same key are answered by one run. */
import { AppError, RetryLater } from '../../errors.ts'
import { parsePath } from '../../files/path.ts'
import { openRuns, runPlace } from '../../files/store/area.ts'
import { pause } from '../../lib/abort.ts'
import { hmacKey, sha256Hex } from '../../lib/crypto.ts'
import { toHex } from '../../lib/encode.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { faultEvent } from '../log-event.ts'
import { areaLayout, areaOwner, type RequestContext } from '../service.ts'
import { newRunId } from './record/run-id.ts'
import { storeOf } from './record/run-store.ts'

export const KEY_LIFE_MS = 24 * 3600 * 1000
/** A key without a record for longer is that of a process that died between the two. */
const START_MS = 60_000
const MAX_KEY_LENGTH = 255
const LOOK_MS = 500
const MAX_LOOKS = 60
const RETRY_AFTER_S = 5

interface KeyedRun {
  readonly id: string
  /** Of the request's body. */
  readonly fingerprint: string
  readonly createdAt: number
}

export interface KeyedRequest {
  readonly key: string
  readonly fingerprint: string
}

/** The first request with a key starts the run; the others get what it started. */
export interface KeyedStart<T> {
  start(id: string): Promise<T>
  /** `undefined` if there is nothing to answer yet, `null` if there is no such run. */
  find(id: string): Promise<T | null | undefined>
}

/** @throws {AppError} `invalid_request` for a key that is none. */
export function idempotencyKey({ headers }: RequestContext): string | undefined {
  const key = headers?.get('Idempotency-Key')
  if (key === null || key === undefined) return undefined
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= MAX_KEY_LENGTH) return key
  const message = `Idempotency-Key: must be 1 to ${MAX_KEY_LENGTH} visible characters`
  throw new AppError('invalid_request', message)
}

/** Credentials are hashed with a secret: they may be weak, and are never stored. */
export async function fingerprintOf(
  { service }: RequestContext,
  { auth, ...request }: object & { readonly auth?: unknown },
): Promise<string> {
  const hash = await sha256Hex(utf8(JSON.stringify(request)))
  if (auth === undefined) return hash
  const key = await hmacKey(service.config.linkSecrets[0]!)
  const signature = await crypto.subtle.sign('HMAC', key, utf8(JSON.stringify(auth)))
  return `${hash}.${toHex(new Uint8Array(signature))}`
}

/**
 * @throws {AppError} `invalid_request` for another body under the same key; {@link RetryLater} if
 * the run does not end in time.
 */
export async function onceForKey<T>(
  ctx: RequestContext,
  { key, fingerprint }: KeyedRequest,
  { start, find }: KeyedStart<T>,
): Promise<T> {
  const keys = await openKeys(ctx, key)
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const found = await keys.load()
    const isOwn = found && isCurrent(ctx, found.run)
    if (isOwn && found.run.fingerprint !== fingerprint) {
      const message = 'Idempotency-Key: was used for another request; use a new key'
      throw new AppError('invalid_request', message)
    }
    const answer = isOwn ? await find(found.run.id) : null
    if (answer !== null && answer !== undefined) return answer
    const isDead = found && answer === null && (!isOwn || isStale(ctx, found.run))
    if (!found || isDead) {
      const createdAt = ctx.service.now().getTime()
      const run = { id: newRunId(ctx.service.now()), fingerprint, createdAt }
      if (await keys.take(run, found?.etag)) return startWith(run.id)
      continue
    }
    await pause(LOOK_MS, ctx.signal).catch(() => undefined)
    if (ctx.signal?.aborted) break
  }
  const message = 'The run with this Idempotency-Key has not ended yet. Ask again for its answer.'
  throw new RetryLater('conflict', message, RETRY_AFTER_S)

  async function startWith(id: string): Promise<T> {
    try {
      return await start(id)
    } catch (error) {
      // Refused, so nothing ran: the next request may. Other errors may come after the run.
      if (error instanceof AppError) {
        await keys.release().catch((fault: unknown) => {
          ctx.service.log(faultEvent(ctx.requestId, 'idempotency', fault))
        })
      }
      throw error
    }
  }
}

function isCurrent({ service }: RequestContext, { createdAt }: KeyedRun): boolean {
  return service.now().getTime() - createdAt < KEY_LIFE_MS
}

function isStale({ service }: RequestContext, { createdAt }: KeyedRun): boolean {
  return service.now().getTime() - createdAt > START_MS
}

/** Keys belong to the area, the scopes and the paths of a caller. */
async function openKeys({ service, caller }: RequestContext, key: string) {
  const place = await runPlace(areaOwner(caller))
  const store = storeOf(service, openRuns(place, areaLayout(service.config)), undefined)
  const { paths } = caller
  const owner = [key, [...caller.scopes].sort(), paths === undefined ? null : paths.toSorted()]
  const path = parsePath(`keys/${await sha256Hex(utf8(JSON.stringify(owner)))}`)
  return {
    async load() {
      const object = await store.get(path)
      if (!object) return null
      const run = JSON.parse(new TextDecoder().decode(object.body)) as KeyedRun
      return { run, etag: object.etag }
    },

    /** `false` if another request was faster. */
    async take(run: KeyedRun, etag: string | undefined): Promise<boolean> {
      const condition = etag === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: etag }
      try {
        await store.put(path, utf8(JSON.stringify(run)), condition)
        return true
      } catch (error) {
        if (error instanceof PreconditionFailed) return false
        throw error
      }
    },

    release: () => store.remove(path),
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
