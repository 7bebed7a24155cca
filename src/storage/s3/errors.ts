/** What the answers of S3 stores mean; each store words them a little differently. */
import { PreconditionFailed } from '../driver.ts'

/** Something answered that is no S3 store: a proxy's page, or another service at the same address. */
export class UnexpectedAnswer extends Error {
  constructor(missing: string) {
    super(`the answer has no ${missing}, as an S3 store would send`)
    this.name = 'UnexpectedAnswer'
  }
}

/** The part of the S3 client's errors that is read here. */
export interface S3Error extends Error {
  readonly $metadata: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** Whether the store, or the client on its behalf, answered with this error. */
export function isS3Error(error: unknown): error is S3Error {
  return error instanceof Error && '$metadata' in error && error.$metadata instanceof Object
}

/** Absent where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return isS3Error(error) ? error.$metadata.httpStatusCode : undefined
}

/** A missing bucket is a 404 too, and must not pass for an empty one. */
export function isMissing(error: unknown): boolean {
  return (
    statusOf(error) === 404 && ['NoSuchKey', 'NotFound', 'NoSuchObject'].includes(nameOf(error))
  )
}

/** The range lies beyond the end of the object. */
export function isBeyondEnd(error: unknown): boolean {
  return statusOf(error) === 416
}

/** The error of a conditional put; a store may also say that another write came in between, or that nothing is there. */
export function putError(error: unknown): unknown {
  const isRefused =
    statusOf(error) === 412 || nameOf(error) === 'ConditionalRequestConflict' || isMissing(error)
  return isRefused ? new PreconditionFailed({ cause: error }) : error
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
