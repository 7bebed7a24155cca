/** Which failures of a store pass by themselves: the one place that decides what is tried again. */
import { PreconditionFailed } from './driver.ts'
import { WrongLength } from './read-all.ts'
import { isS3Error, statusOf } from './s3/errors.ts'

/** One try of a request took longer than it may; whether the store acted on it is unclear. */
export class AttemptTimedOut extends Error {
  constructor(ms: number) {
    super(`the store did not answer within ${Math.round(ms)} ms`)
    this.name = 'AttemptTimedOut'
  }
}

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504])

/** Errors whose status does not tell: it is that of others too, the answer began with 200, or there was none. */
const TRANSIENT_NAMES = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
  // What a signal with a time limit gives as its reason; the caller's own is looked at before.
  'TimeoutError',
])

/** Connections that broke or were not made, as Node's fetch tells it: in the cause of what it throws. */
const TRANSIENT_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
])

/** The same in workerd, and what bindings say of R2 itself: there is nothing but the message, at times with a code. */
const TRANSIENT_MESSAGE =
  /^Network connection lost|^internal error\b|connection (?:was )?(?:reset|closed|refused)|\((?:10001|10043|10058)\)$/i

/** Never for a condition that was not met, nor for what the store will refuse again. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof PreconditionFailed) return false
  if (error instanceof AttemptTimedOut || error instanceof WrongLength) return true
  const status = statusOf(error)
  if (status !== undefined && TRANSIENT_STATUS.has(status)) return true
  if (TRANSIENT_NAMES.has(error.name)) return true
  // The client has just learned the store's time: it signs the next try by that.
  if (isS3Error(error) && error.$metadata.clockSkewCorrected) return true
  if (status !== undefined && status >= 300) return false
  if ('code' in error && TRANSIENT_CODES.has(String(error.code))) return true
  return TRANSIENT_MESSAGE.test(error.message) || isTransient(error.cause)
}

/** How long the store asked to be left alone. */
export function retryAfterMs(error: unknown, now = Date.now()): number | undefined {
  const value = isS3Error(error) ? error.$response?.headers?.['retry-after'] : undefined
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
