/** The S3 client as the driver needs it, whichever store it is for. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Config } from '../../config.ts'
import { fetchHandler } from './http.ts'

/** Without keys the client looks for credentials by itself, and so it does for a missing region. */
export interface S3ClientOptions extends Partial<Omit<S3Config, 'bucket'>> {
  /** Instead of keys: for credentials that end. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>
}

/** The client would write to the console what it also throws. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Opens no connection yet. */
export function s3Client(options: S3ClientOptions): S3Client {
  const { endpoint, region, forcePathStyle } = options
  const credentials = options.credentials ?? keysOf(options)
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    forcePathStyle: forcePathStyle ?? false,
    requestHandler: fetchHandler(),
    // One layer retries, whatever the store; two would multiply their attempts.
    maxAttempts: 1,
    // The newer checksums travel in trailers, which only AWS itself reliably takes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // No fetch can wait for a server's leave before it sends a body.
    expectContinueHeader: false,
    logger: SILENT,
  })
}

function keysOf({ accessKeyId, secretAccessKey, sessionToken }: S3ClientOptions) {
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
