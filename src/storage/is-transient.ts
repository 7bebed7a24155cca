/** Decides which storage errors are retried. */
import { PreconditionFailed } from './driver.ts'
import { WrongLength } from './read-all.ts'
import { isS3Error, statusOf } from './s3/errors.ts'

/** One attempt timed out; the store may still have acted on it. */
export class AttemptTimedOut extends Error {
  constructor(ms: number) {
    super(`the store did not respond within ${Math.round(ms)} ms`)
    this.name = 'AttemptTimedOut'
  }
}

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504])

/** Errors whose status is ambiguous or missing, or whose response began with 200. */
const TRANSIENT_NAMES = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
  // From AbortSignal.timeout; the caller's own signal is checked before.
  'TimeoutError',
])

/** Connection errors, in the cause of Node's fetch errors. */
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

/** workerd and R2 bindings report these only in the message. */
const TRANSIENT_MESSAGE =
  /^Network connection lost|^internal error\b|connection (?:was )?(?:reset|closed|refused)|\((?:10001|10043|10058)\)$/i

/** False for failed preconditions and permanent refusals. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof PreconditionFailed) return false
  if (error instanceof AttemptTimedOut || error instanceof WrongLength) return true
  const status = statusOf(error)
  if (status !== undefined && TRANSIENT_STATUS.has(status)) return true
  if (TRANSIENT_NAMES.has(error.name)) return true
  // The client has adjusted its clock and will sign the next attempt with it.
  if (isS3Error(error) && error.$metadata.clockSkewCorrected) return true
  if (status !== undefined && status >= 300) return false
  if ('code' in error && TRANSIENT_CODES.has(String(error.code))) return true
  return TRANSIENT_MESSAGE.test(error.message) || isTransient(error.cause)
}

/** The store's Retry-After. */
export function storeRetryAfterMs(error: unknown, now = Date.now()): number | undefined {
  const value = isS3Error(error) ? error.$response?.headers?.['retry-after'] : undefined
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
