/** Copies within the store: one request, or in parts above what one request may copy. */
import { CopyObjectCommand, UploadPartCopyCommand, type S3Client } from '@aws-sdk/client-s3'
import type { ObjectInfo } from '../driver.ts'
import { partRanges } from '../part-ranges.ts'
import { CopySourceChanged } from '../errors.ts'
import { inParts } from './multipart.ts'

export interface CopyLimits {
  /** Larger objects are copied in parts: 5 GB on AWS. */
  readonly maxSingleCopyBytes?: number | undefined
  readonly copyPartBytes?: number | undefined
}

const GIB = 1024 ** 3
const PART_BYTES = GIB / 4

export interface CopyRequest extends CopyLimits {
  readonly client: S3Client
  readonly Bucket: string
  readonly from: string
  readonly to: string
  /** The current version of the source; `null` if there is none. */
  readonly head: (signal: AbortSignal | undefined) => Promise<ObjectInfo | null>
  readonly signal: AbortSignal | undefined
}

/** `false` if there is no source. @throws {CopySourceChanged} */
export async function copyObject(request: CopyRequest): Promise<boolean> {
  const { client, Bucket, from, to: Key, head, signal } = request
  const { maxSingleCopyBytes = 5 * GIB, copyPartBytes = PART_BYTES } = request
  const source = await head(signal)
  if (!source) return false
  const CopySource = sourceOf(Bucket, from)
  if (source.bytes <= maxSingleCopyBytes) {
    const command = new CopyObjectCommand({ Bucket, Key, CopySource })
    await client.send(command, signal ? { abortSignal: signal } : {})
    return true
  }
  const { contentType: ContentType, metadata } = source
  const target = { Bucket, Key, ContentType, Metadata: { ...metadata } }
  const ranges = partRanges(source.bytes, copyPartBytes)
  await inParts(
    client,
    target,
    ranges,
    (upload, number, { offset, length }) =>
      upload.sendPart(number, length, signal, async (place, abortSignal) => {
        const CopySourceRange = `bytes=${offset}-${offset + length - 1}`
        const command = new UploadPartCopyCommand({ ...place, CopySource, CopySourceRange })
        const answer = await client.send(command, { abortSignal })
        return answer.CopyPartResult?.ETag
      }),
    {
      signal,
      // Stores ignore conditions on copied parts, or want the etag in a form of their own.
      async beforeEnd() {
        if ((await head(signal))?.etag !== source.etag) throw new CopySourceChanged()
      },
    },
  )
  return true
}

/** A header value, sent unencoded by the client. */
function sourceOf(bucket: string, key: string): string {
  return `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
}
