/** Interprets S3 responses and errors; each store words them differently. */
import type {
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import {
  PreconditionFailed,
  type ListEntry,
  type ObjectInfo,
  type StreamedObject,
} from '../driver.ts'
import { bareEtag } from '../../lib/etag.ts'
import { sortEntries } from '../key-order.ts'

/** For objects without a type. */
export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

interface Opened extends StreamedObject {
  /** Of the range, if any. */
  readonly bodyBytes: number
}

/** Compressed in transit, so that its length differs. */
export function isEncoded({ ContentEncoding = '' }: GetObjectCommandOutput): boolean {
  return !['', 'identity', 'aws-chunked'].includes(ContentEncoding)
}

export function openedOf(key: string, answer: GetObjectCommandOutput): Opened {
  const body = answer.Body?.transformToWebStream() ?? new Blob([]).stream()
  const bodyBytes = lengthOf(answer)
  // Under a range, Content-Length is the range's.
  const bytes = Number(answer.ContentRange?.split('/')[1] ?? bodyBytes)
  return { ...infoOf(key, answer), bytes, body, bodyBytes }
}

/** For an empty range. */
export function emptyOf(info: ObjectInfo | null): Opened | null {
  return info && { ...info, body: new Blob([]).stream(), bodyBytes: 0 }
}

/** @throws {UnexpectedAnswer} if this is not an S3 store. */
export function infoOf(
  key: string,
  answer: HeadObjectCommandOutput | GetObjectCommandOutput,
): ObjectInfo {
  return {
    key,
    bytes: lengthOf(answer),
    etag: etagOf(answer),
    modifiedAt: answer.LastModified ?? new Date(0),
    contentType: answer.ContentType ?? DEFAULT_CONTENT_TYPE,
    metadata: answer.Metadata ?? {},
  }
}

/** A write without an etag is not confirmed. */
export function etagOf({ ETag }: { readonly ETag?: string | undefined }): string {
  if (!ETag) throw new UnexpectedAnswer('etag')
  return bareEtag(ETag)
}

function lengthOf({ ContentLength }: { readonly ContentLength?: number | undefined }): number {
  if (ContentLength === undefined) throw new UnexpectedAnswer('length')
  return ContentLength
}

export function entriesOf({
  Contents = [],
  CommonPrefixes = [],
}: ListObjectsV2CommandOutput): ListEntry[] {
  return sortEntries([
    ...Contents.map(({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }) => {
      const object = { key: Key, bytes: Size, etag: bareEtag(ETag), modifiedAt: LastModified }
      return { kind: 'object' as const, object }
    }),
    ...CommonPrefixes.map(({ Prefix = '' }) => ({ kind: 'prefix' as const, prefix: Prefix })),
  ])
}

/** The response is not from an S3 store: a proxy's page, or another service. */
export class UnexpectedAnswer extends Error {
  constructor(missing: string) {
    super(`the response lacks ${missing}, so it is not from an S3 store`)
    this.name = 'UnexpectedAnswer'
  }
}

interface S3Error extends Error {
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

type SendIfMatch = <T>(
  etag: string,
  send: (ifMatch: string) => Promise<T>,
  currentEtag: () => Promise<string | undefined>,
) => Promise<T>

/**
 * HTTP quotes etags and some stores insist on it; others (Ceph) only match them bare. If a store
 * refuses the current etag, the other form is tried; the first success settles it.
 */
export function etagCondition(): SendIfMatch {
  let quote = '"'
  let isSettled = false

  return async function sendIfMatch(etag, send, currentEtag) {
    const attempt = async (mark: string) => {
      const answer = await send(`${mark}${etag}${mark}`)
      quote = mark
      isSettled = true
      return answer
    }
    const first = quote
    try {
      return await attempt(first)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      const other = first === '' ? '"' : ''
      // A concurrent write may have settled it the other way.
      const isGenuine = isSettled ? quote === first : (await currentEtag()) !== etag
      if (isGenuine) throw error
      return attempt(other)
    }
  }
}
