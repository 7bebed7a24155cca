/** The answers of S3 stores in the terms of the contract. */
import type {
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import type { ListEntry, ObjectInfo, StreamedObject } from '../driver.ts'
import { bareEtag } from '../../lib/etag.ts'
import { inOrder } from '../key-order.ts'
import { UnexpectedAnswer } from './errors.ts'

/** Of objects stored without a type. */
export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

/** An object whose body knows its length. */
export interface Opened extends StreamedObject {
  /** Of the range, where one was asked for. */
  readonly bodyBytes: number
}

/** Whether the body is compressed on its way, so that its length is not that of its bytes. */
export function isEncoded({ ContentEncoding = '' }: GetObjectCommandOutput): boolean {
  return !['', 'identity', 'aws-chunked'].includes(ContentEncoding)
}

/** The object of an answer, with the body it opened. */
export function openedOf(key: string, answer: GetObjectCommandOutput): Opened {
  const body = answer.Body?.transformToWebStream() ?? new Blob([]).stream()
  const bodyBytes = lengthOf(answer)
  // The length of an answer under a range is the range's.
  const bytes = Number(answer.ContentRange?.split('/')[1] ?? bodyBytes)
  return { ...infoOf(key, answer), bytes, body, bodyBytes }
}

/** For a range without a byte. */
export function emptyOf(info: ObjectInfo | null): Opened | null {
  return info && { ...info, body: new Blob([]).stream(), bodyBytes: 0 }
}

/** @throws {UnexpectedAnswer} when what answered is no store. */
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

/** A write is only as good as the etag that confirms it. */
export function etagOf({ ETag }: { readonly ETag?: string | undefined }): string {
  if (!ETag) throw new UnexpectedAnswer('etag')
  return bareEtag(ETag)
}

function lengthOf({ ContentLength }: { readonly ContentLength?: number | undefined }): number {
  if (ContentLength === undefined) throw new UnexpectedAnswer('length')
  return ContentLength
}

/** The entries of a page. */
export function entriesOf({
  Contents = [],
  CommonPrefixes = [],
}: ListObjectsV2CommandOutput): ListEntry[] {
  return inOrder([
    ...Contents.map(({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }) => {
      const object = { key: Key, bytes: Size, etag: bareEtag(ETag), modifiedAt: LastModified }
      return { kind: 'object' as const, object }
    }),
    ...CommonPrefixes.map(({ Prefix = '' }) => ({ kind: 'prefix' as const, prefix: Prefix })),
  ])
}
