/** What the operator should do about a store that refuses to work, in one line for the log. */
import { statusOf } from './s3/errors.ts'

const HINTS: Readonly<Record<string, string>> = {
  AccessDenied:
    'the credentials may not do this in the bucket S3_BUCKET names: look at their policy',
  AuthorizationHeaderMalformed: 'S3_REGION is not the region of the bucket',
  CredentialsProviderError:
    'no credentials were found: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this process a role',
  ExpiredToken: 'the temporary credentials are over: renew S3_SESSION_TOKEN with its keys',
  IllegalLocationConstraintException: 'S3_REGION is not the region of the bucket',
  InvalidAccessKeyId: 'the store does not know S3_ACCESS_KEY_ID',
  InvalidBucketName: 'S3_BUCKET is not a name a bucket can have',
  InvalidToken: 'S3_SESSION_TOKEN does not belong to S3_ACCESS_KEY_ID',
  NoSuchBucket: 'the bucket S3_BUCKET names does not exist',
  PermanentRedirect: 'the bucket is elsewhere: look at S3_REGION and S3_ENDPOINT',
  RequestTimeTooSkewed: 'the clock of this machine is off by more than the store allows',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID',
  TemporaryRedirect: 'the bucket is elsewhere: look at S3_REGION and S3_ENDPOINT',
  UnexpectedAnswer: 'what answers at S3_ENDPOINT is not an S3 store',
}

/** By the code of a failed connection. */
const CONNECTION_HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at S3_ENDPOINT',
  ENOTFOUND: 'the host S3_ENDPOINT names does not exist, or needs S3_FORCE_PATH_STYLE=true',
}

const REFUSED =
  'the store refuses the credentials: look at S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and at their policy'

/** Absent for failures nobody here can do anything about. Never holds a value of a setting. */
export function operatorHint(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const status = statusOf(error)
  if (Object.hasOwn(HINTS, error.name)) return HINTS[error.name]
  if (Object.hasOwn(CONNECTION_HINTS, code)) return CONNECTION_HINTS[code]
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return 'the certificate of S3_ENDPOINT is not trusted by this machine'
  }
  // Without a body to say more, as for every HEAD.
  if (status === 401 || status === 403) return REFUSED
  if (status !== undefined && status < 300) return HINTS.UnexpectedAnswer
  return operatorHint(error.cause)
}
