/** Converts S3 responses to the storage contract. */
import type {
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import type { ListEntry, ObjectInfo, StreamedObject } from '../driver.ts'
import { bareEtag } from '../../lib/etag.ts'
import { sortEntries } from '../key-order.ts'
import { UnexpectedAnswer } from './errors.ts'

/** For objects without a type. */
export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

export interface Opened extends StreamedObject {
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
