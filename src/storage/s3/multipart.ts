/** Multipart uploads with parallel parts. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
  type CreateMultipartUploadCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { ObjectBody } from '../driver.ts'
import { chunksOf } from '../object-body.ts'
import { payloadOf } from './client.ts'

/** Stores require at least 5 MiB, except for the last part. */
const PART_BYTES = 8 * 1024 * 1024

const PARALLEL_PARTS = 4

/** Time limits of the requests that ignore the caller's signal. */
const BEGIN_MS = 10_000
const END_MS = 5_000

export type MultipartTarget = Pick<
  CreateMultipartUploadCommandInput,
  'Bucket' | 'Key' | 'ContentType' | 'Metadata'
>

/**
 * All or nothing; aborts failed uploads, because stores keep and charge for parts. Goes on after
 * the signal aborts: an upload just begun must be aborted.
 */
export async function putInParts(
  client: S3Client,
  target: MultipartTarget,
  body: ObjectBody,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  // Ignores the signal: without the upload id, nothing could abort the upload.
  const begin = new CreateMultipartUploadCommand(target)
  const { UploadId } = await client.send(begin, { abortSignal: AbortSignal.timeout(BEGIN_MS) })
  const upload = { Bucket: target.Bucket, Key: target.Key, UploadId }
  const ending = new AbortController()
  const abortSignal = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])])
  try {
    const Parts = await uploadParts(partsOf(body), async (part, PartNumber) => {
      abortSignal.throwIfAborted()
      const input = { ...upload, PartNumber, ...payloadOf(part) }
      const { ETag } = await client.send(new UploadPartCommand(input), { abortSignal })
      return { PartNumber, ETag }
    })
    const complete = { ...upload, MultipartUpload: { Parts } }
    const command = new CompleteMultipartUploadCommand(complete)
    const { ETag } = await client.send(command, { abortSignal })
    return ETag
  } catch (error) {
    // Late parts would arrive after the abort, and some stores keep them.
    ending.abort(error)
    const abort = new AbortMultipartUploadCommand(upload)
    await client.send(abort, { abortSignal: AbortSignal.timeout(END_MS) }).catch(() => {
      // It may have completed, and the first error says more.
    })
    throw error
  }
}

type UploadPart = (part: readonly Uint8Array[], partNumber: number) => Promise<CompletedPart>

async function uploadParts(
  parts: Iterable<readonly Uint8Array[]>,
  uploadPart: UploadPart,
): Promise<CompletedPart[]> {
  const done: CompletedPart[] = []
  const waiting = [...parts].entries()
  async function uploadNext(): Promise<void> {
    for (const [at, part] of waiting) done[at] = await uploadPart(part, at + 1)
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, uploadNext))
  return done
}

/** Views, not copies. */
function* partsOf(body: ObjectBody, partBytes = PART_BYTES): Generator<Uint8Array[]> {
  let part: Uint8Array[] = []
  let room = partBytes
  for (const chunk of chunksOf(body)) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + room)
      part.push(piece)
      at += piece.length
      room -= piece.length
      if (room > 0) continue
      yield part
      part = []
      room = partBytes
    }
  }
  if (part.length > 0) yield part
}
