/** Configures the S3 client. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Config } from '../../config.ts'
import { fetchHandler } from './http.ts'

/** Without keys or region the client looks for them itself. */
export interface S3ClientOptions extends Partial<Omit<S3Config, 'bucket'>> {
  /** Instead of keys: expiring credentials. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>
}

/** The client logs what it also throws. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

export function s3Client(options: S3ClientOptions): S3Client {
  const { endpoint, region, forcePathStyle } = options
  const credentials = options.credentials ?? keysOf(options)
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    forcePathStyle: forcePathStyle ?? false,
    requestHandler: fetchHandler(),
    // Retries happen in one layer; two would multiply.
    maxAttempts: 1,
    // Newer checksums use trailers, which only AWS reliably supports.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // fetch does not support Expect: 100-continue.
    expectContinueHeader: false,
    logger: SILENT,
  })
}

function keysOf({ accessKeyId, secretAccessKey, sessionToken }: S3ClientOptions) {
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
