/** Interprets S3 errors; each store words them differently. */
import { PreconditionFailed } from '../driver.ts'

/** The response is not from an S3 store: a proxy's page, or another service. */
export class UnexpectedAnswer extends Error {
  constructor(missing: string) {
    super(`the response lacks ${missing}, so it is not from an S3 store`)
    this.name = 'UnexpectedAnswer'
  }
}

export interface S3Error extends Error {
  readonly $metadata: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

export function isS3Error(error: unknown): error is S3Error {
  return error instanceof Error && '$metadata' in error && error.$metadata instanceof Object
}

/** `undefined` if there was no response. */
export function statusOf(error: unknown): number | undefined {
  return isS3Error(error) ? error.$metadata.httpStatusCode : undefined
}

/** A missing bucket is a 404 too, but must not look like an empty one. */
export function isMissing(error: unknown): boolean {
  return (
    statusOf(error) === 404 && ['NoSuchKey', 'NotFound', 'NoSuchObject'].includes(nameOf(error))
  )
}

export function isRangeError(error: unknown): boolean {
  return statusOf(error) === 416
}

/** Stores also report conflicts and missing objects for failed conditions. */
export function putError(error: unknown): unknown {
  const isRefused =
    statusOf(error) === 412 || nameOf(error) === 'ConditionalRequestConflict' || isMissing(error)
  return isRefused ? new PreconditionFailed({ cause: error }) : error
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
