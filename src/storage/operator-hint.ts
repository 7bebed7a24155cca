/** One-line hints for the operator about a misconfigured store. */
import { statusOf } from './s3/errors.ts'

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
