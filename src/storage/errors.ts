/** Storage errors: which are retried, and hints for the operator about a misconfigured store. */
import { PreconditionFailed } from './driver.ts'
import { WrongLength } from './read-stream.ts'
import { isS3Error, statusOf } from './s3/answers.ts'

/** One attempt timed out; the store may still have acted on it. */
export class AttemptTimedOut extends Error {
  constructor(ms: number) {
    super(`the store did not respond within ${Math.round(ms)} ms`)
    this.name = 'AttemptTimedOut'
  }
}

/** The source of a copy in parts was replaced meanwhile; nothing was stored. */
export class CopySourceChanged extends Error {
  constructor() {
    super('the source changed while it was copied')
    this.name = 'CopySourceChanged'
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
  if (error instanceof CopySourceChanged) return true
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

const HINTS: Readonly<Record<string, string>> = {
  AccessDenied: 'the credentials lack permission for the bucket in S3_BUCKET: check their policy',
  AuthorizationHeaderMalformed: 'S3_REGION is not the region of the bucket',
  CredentialsProviderError:
    'no credentials were found: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this process a role',
  ExpiredToken: 'the temporary credentials have expired: renew S3_SESSION_TOKEN and its keys',
  IllegalLocationConstraintException: 'S3_REGION is not the region of the bucket',
  InvalidAccessKeyId: 'the store does not know S3_ACCESS_KEY_ID',
  InvalidBucketName: 'S3_BUCKET is not a valid bucket name',
  InvalidToken: 'S3_SESSION_TOKEN does not belong to S3_ACCESS_KEY_ID',
  NoSuchBucket: 'the bucket in S3_BUCKET does not exist',
  PermanentRedirect: 'the bucket is elsewhere: check S3_REGION and S3_ENDPOINT',
  RequestTimeTooSkewed: 'the clock of this machine is off by more than the store allows',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID',
  TemporaryRedirect: 'the bucket is elsewhere: check S3_REGION and S3_ENDPOINT',
  UnexpectedAnswer: 'S3_ENDPOINT is not an S3 store',
}

/** By connection error code. */
const CONNECTION_HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at S3_ENDPOINT',
  ENOTFOUND: 'the host in S3_ENDPOINT does not exist, or needs S3_FORCE_PATH_STYLE=true',
}

const REJECTED =
  'the store rejects the credentials: check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and their policy'

/** `undefined` if there is no hint. Never contains a setting's value. */
export function operatorHint(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const status = statusOf(error)
  if (Object.hasOwn(HINTS, error.name)) return HINTS[error.name]
  if (Object.hasOwn(CONNECTION_HINTS, code)) return CONNECTION_HINTS[code]
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return 'the certificate of S3_ENDPOINT is not trusted by this machine'
  }
  // HEAD responses have no body to say more.
  if (status === 401 || status === 403) return REJECTED
  if (status !== undefined && status < 300) return HINTS.UnexpectedAnswer
  return operatorHint(error.cause)
}
