/** Multipart uploads with parallel parts. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
  type CreateMultipartUploadCommandInput,
  type S3Client,
  type UploadPartCommandInput,
} from '@aws-sdk/client-s3'
import type { ObjectBody } from '../driver.ts'
import { byteLengthOf, chunksOf } from '../object-body.ts'
import { anySignal } from '../../lib/abort.ts'
import { PartList } from '../part-list.ts'
import { statusOf } from './answers.ts'
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

type Signal = AbortSignal | undefined

/** Where a part belongs, as requests name it. */
type PartPlace = Pick<UploadPartCommandInput, 'Bucket' | 'Key' | 'UploadId' | 'PartNumber'>

/** Resolves to the part's etag. */
type SendPart = (place: PartPlace, abortSignal: AbortSignal) => Promise<string | undefined>

interface S3Upload {
  putPart(number: number, body: ObjectBody, signal: Signal): Promise<void>
  /** A part that the store gets in another way. */
  sendPart(number: number, bytes: number, signal: Signal, send: SendPart): Promise<void>
  /** `undefined` where the store omits the etag. */
  complete(signal: Signal): Promise<string | undefined>
  abort(): Promise<void>
}

/** Takes no signal: without the upload id, nothing could abort the upload. */
export async function createS3Upload(client: S3Client, target: MultipartTarget): Promise<S3Upload> {
  const begin = new CreateMultipartUploadCommand(target)
  const { UploadId } = await client.send(begin, { abortSignal: AbortSignal.timeout(BEGIN_MS) })
  const upload = { Bucket: target.Bucket, Key: target.Key, UploadId }
  const parts = new PartList<CompletedPart>()
  const ending = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  /** Aborted with the upload. */
  async function request<T>(signal: Signal, work: (abortSignal: AbortSignal) => Promise<T>) {
    const abortSignal = anySignal(ending.signal, signal)
    abortSignal.throwIfAborted()
    const answer = work(abortSignal)
    underWay.add(answer)
    try {
      return await answer
    } finally {
      underWay.delete(answer)
    }
  }

  const sendPart: S3Upload['sendPart'] = async (PartNumber, bytes, signal, send) => {
    const ETag = await request(signal, (abortSignal) =>
      send({ ...upload, PartNumber }, abortSignal),
    )
    parts.add(PartNumber, bytes, { PartNumber, ETag })
  }

  return {
    sendPart,

    putPart: (number, body, signal) =>
      sendPart(number, byteLengthOf(body), signal, async (place, abortSignal) => {
        const command = new UploadPartCommand({ ...place, ...payloadOf(body) })
        return (await client.send(command, { abortSignal })).ETag
      }),

    async complete(signal) {
      const input = { ...upload, MultipartUpload: { Parts: parts.all() } }
      const { ETag } = await request(signal, (abortSignal) =>
        client.send(new CompleteMultipartUploadCommand(input), { abortSignal }),
      )
      return ETag
    },

    async abort() {
      // Late parts would arrive after the abort, and some stores keep them.
      ending.abort(new Error('the upload was aborted'))
      await Promise.allSettled(underWay)
      const abort = new AbortMultipartUploadCommand(upload)
      await client.send(abort, { abortSignal: AbortSignal.timeout(END_MS) }).catch((error) => {
        // Completed or aborted before.
        if (statusOf(error) !== 404) throw error
      })
    },
  }
}

interface PartsOptions {
  readonly signal: Signal
  /** Rejects if the parts must not become an object. */
  readonly beforeEnd?: (() => Promise<void>) | undefined
}

/**
 * All or nothing, several parts at a time. Goes on after the signal aborts: an upload just begun
 * must be aborted. Resolves to the etag, which Ceph omits.
 */
export async function inParts<Part>(
  client: S3Client,
  target: MultipartTarget,
  parts: Iterable<Part>,
  put: (upload: S3Upload, number: number, part: Part) => Promise<void>,
  { signal, beforeEnd }: PartsOptions,
): Promise<string | undefined> {
  const upload = await createS3Upload(client, target)
  try {
    const waiting = [...parts].entries()
    async function putNext(): Promise<void> {
      for (const [at, part] of waiting) await put(upload, at + 1, part)
    }
    await Promise.all(Array.from({ length: PARALLEL_PARTS }, putNext))
    await beforeEnd?.()
    return await upload.complete(signal)
  } catch (error) {
    // It may have completed, and the first error says more.
    await upload.abort().catch(() => undefined)
    throw error
  }
}

/** Stores a large body, without copying it. */
export function putInParts(
  client: S3Client,
  target: MultipartTarget,
  body: ObjectBody,
  signal: Signal,
): Promise<string | undefined> {
  const put = (upload: S3Upload, number: number, part: ObjectBody) =>
    upload.putPart(number, part, signal)
  return inParts(client, target, partsOf(body), put, { signal })
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
