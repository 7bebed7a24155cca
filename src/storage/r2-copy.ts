/** Copies in R2: the binding has no copy, so the bytes are streamed through the Worker. */
import type * as Cloudflare from '@cloudflare/workers-types'
import { CopySourceChanged } from './errors.ts'
import { partRanges } from './part-ranges.ts'

declare const FixedLengthStream: new (bytes: number) => TransformStream<Uint8Array, Uint8Array>

export interface R2CopyLimits {
  /** Larger objects go in parts: one put takes less than 5 GiB. */
  readonly maxSinglePutBytes?: number
  /** At least 5 MiB. */
  readonly copyPartBytes?: number
}

const MIB = 1024 * 1024

/** `false` if there is no source. @throws {CopySourceChanged} */
export async function copyInR2(
  bucket: Cloudflare.R2Bucket,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
  { maxSinglePutBytes = 4_500 * MIB, copyPartBytes = 256 * MIB }: R2CopyLimits,
): Promise<boolean> {
  const source = await bucket.head(from)
  if (!source) return false
  const { httpMetadata = {}, customMetadata = {} } = source
  const how = { httpMetadata, customMetadata }
  if (source.size <= maxSinglePutBytes) {
    const body = await openVersion(bucket, source)
    await bucket.put(to, withLength(source.size, body), how)
    return true
  }
  const upload = await bucket.createMultipartUpload(to, how)
  try {
    const parts: Cloudflare.R2UploadedPart[] = []
    // One after the other: each holds two of the six connections of a request.
    for (const range of partRanges(source.size, copyPartBytes)) {
      signal?.throwIfAborted()
      const body = await openVersion(bucket, source, range)
      parts.push(await upload.uploadPart(parts.length + 1, withLength(range.length, body)))
    }
    await upload.complete(parts)
    return true
  } catch (error) {
    // It may have completed, and the first error says more.
    await upload.abort().catch(() => {})
    throw error
  }
}

/** @throws {CopySourceChanged} unless the object is still in this version. */
async function openVersion(
  bucket: Cloudflare.R2Bucket,
  { key, etag }: Cloudflare.R2Object,
  range?: Cloudflare.R2Range,
): Promise<Cloudflare.R2ObjectBody> {
  const onlyIf = { etagMatches: etag }
  const object = await bucket.get(key, { onlyIf, ...(range && { range }) })
  if (!object || !('body' in object)) throw new CopySourceChanged()
  return object
}

/** R2 requires streams of known length. */
function withLength(bytes: number, { body }: Cloudflare.R2ObjectBody): Cloudflare.ReadableStream {
  const stream = body as unknown as ReadableStream<Uint8Array>
  const counted = stream.pipeThrough(new FixedLengthStream(bytes))
  return counted as unknown as Cloudflare.ReadableStream
}
