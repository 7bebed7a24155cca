/** Reports the end of a run to a webhook, signed as Standard Webhooks specifies. */
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { pause } from '../../lib/abort.ts'
import { hmacKey, hmacKeyOf } from '../../lib/crypto.ts'
import { toBase64 } from '../../lib/encode.ts'
import { findListed } from '../../sdk/call/may-reach.ts'
import { faultEvent } from '../log-event.ts'
import type { Service } from '../service.ts'

/** A run that has ended. */
export interface Notice {
  readonly url: string
  readonly tenant: string
  readonly id: string
  readonly status: string
  readonly endedAt: Date
}

/** Of one try; API calls may have less. */
const TRY_MS = 10_000
/** When to try, from the end of the run. The gaps leave time for a try that hangs. */
const TRIES_AT_MS = [0, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** Between tries where messages cannot be delayed: the end of the invocation is near. */
const SHORT_PAUSES_MS = [1_000, 5_000]

/** @throws {AppError} `invalid_request` for an address that messages are not sent to. */
export function checkNotifyUrl(url: string, config: Config): void {
  const found = findWebhook(url, config)
  if (typeof found === 'string') throw new AppError('invalid_request', `notify: ${found}`)
}

function findWebhook(url: string, config: Config): URL | string {
  const { webhookHosts: hosts, allowsLoopbackApis: allowsLoopback } = config
  if (hosts.length === 0) return 'webhooks are not configured here'
  return findListed(url, { hosts, listedIn: 'WEBHOOK_HOSTS', allowsLoopback })
}

/** The key with which a tenant verifies messages, as `whsec_` and base64. */
export async function webhookKey(secret: string, tenant: string): Promise<string> {
  return `whsec_${toBase64(await keyBytes(secret, tenant))}`
}

/**
 * Tries once, and has the rest tried later if that fails. Never throws: the run is over.
 *
 * @param tryLater Has this called again after a delay; absent where the platform has no delays.
 */
export async function notifyEnd(
  service: Service,
  notice: Notice,
  tryLater?: (delayMs: number) => Promise<void>,
): Promise<void> {
  try {
    if (tryLater) await tryThenLater(service, notice, tryLater)
    else await tryNow(service, notice)
  } catch (error) {
    service.log(faultEvent(notice.id, 'notify', error))
  }
}

async function tryThenLater(
  service: Service,
  notice: Notice,
  tryLater: (delayMs: number) => Promise<void>,
): Promise<void> {
  const outcome = await send(service, notice)
  const elapsedMs = service.now().getTime() - notice.endedAt.getTime()
  const next = TRIES_AT_MS.find((atMs) => atMs > elapsedMs)
  if (logOutcome(service, notice, outcome, next === undefined)) return
  await tryLater(next! - elapsedMs)
}

async function tryNow(service: Service, notice: Notice): Promise<void> {
  for (let tries = 0; ; tries++) {
    const pauseMs = SHORT_PAUSES_MS[tries]
    const outcome = await send(service, notice)
    if (logOutcome(service, notice, outcome, pauseMs === undefined)) return
    await pause(pauseMs!, undefined)
  }
}

interface Outcome {
  /** Of the response, if there was one. */
  readonly status?: number
  readonly problem?: string
  /** Whether trying again is pointless. */
  readonly isFinal?: boolean
}

/** Whether it is over. The log has the host alone: the rest of an address may be a secret. */
function logOutcome(
  { log }: Service,
  { id, tenant, url }: Notice,
  { status, problem, isFinal = false }: Outcome,
  isLast: boolean,
): boolean {
  const isOver = problem === undefined || isFinal || isLast
  const outcome = problem === undefined ? 'delivered' : isOver ? 'given_up' : 'retrying'
  const { host } = new URL(url)
  log({ event: 'webhook', request_id: id, tenant, host, outcome, status, problem })
  return isOver
}

async function send(service: Service, notice: Notice): Promise<Outcome> {
  const { config, now } = service
  const url = findWebhook(notice.url, config)
  // The list may be shorter than when the run began.
  if (typeof url === 'string') return { problem: url, isFinal: true }
  const body = JSON.stringify({ id: notice.id, status: notice.status })
  const headers = await signedHeaders(config.webhookSecret!, notice, now(), body)
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(Math.min(TRY_MS, config.limits.apiCallMs)),
    })
    // Nothing of it is read, however long it is.
    await answer.body?.cancel().catch(() => undefined)
    return outcomeOf(answer)
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { problem: isLate ? 'no answer in time' : 'could not be reached' }
  }
}

function outcomeOf({ ok, status, type }: Response): Outcome {
  if (ok) return { status }
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  const problem = isRedirect ? 'a redirect, which is not followed' : 'refused'
  // Standard Webhooks: 410 says that this address wants no more.
  return { status, problem, isFinal: status === 410 }
}

/** The id stays the same at every try, so that a receiver knows a repetition. */
async function signedHeaders(
  secret: string,
  { tenant, id }: Notice,
  now: Date,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(now.getTime() / 1000)
  const key = await hmacKeyOf(await keyBytes(secret, tenant))
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'moonbucket',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${toBase64(signature)}`,
  }
}

async function keyBytes(secret: string, tenant: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = new TextEncoder().encode(tenant)
  return new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(secret), name))
}
