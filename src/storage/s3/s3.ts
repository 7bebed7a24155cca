/** AWS S3 and compatible stores. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type {
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  PartUpload,
  PutOptions,
  PutStreamOptions,
  StorageDriver,
  UploadOptions,
} from '../driver.ts'
import { bareEtag } from '../../lib/etag.ts'
import {
  etagCondition,
  DEFAULT_CONTENT_TYPE,
  emptyOf,
  entriesOf,
  etagOf,
  infoOf,
  isEncoded,
  openedOf,
  isRangeError,
  isMissing,
  putError,
  UnexpectedAnswer,
} from './answers.ts'
import { byteLengthOf } from '../object-body.ts'
import { readAll } from '../read-stream.ts'
import { untilAborted } from '../../lib/abort.ts'
import { created } from '../part-list.ts'
import { s3Client, withExactLength, payloadOf, type S3ClientOptions } from './client.ts'
import { copyObject, type CopyLimits } from './copy.ts'
import { createS3Upload, putInParts, type MultipartTarget } from './multipart.ts'
import { s3SdkPresigner } from './sdk-presigner.ts'

export interface S3StorageOptions extends S3ClientOptions, CopyLimits {
  readonly bucket: string
  /** Larger bodies use multipart, unless conditional: stores ignore conditions on parts. */
  readonly maxSinglePutBytes?: number
  readonly now?: () => Date
  /** Page size of listings. */
  readonly pageEntries?: number
}

const MAX_SINGLE_PUT_BYTES = 32 * 1024 * 1024

const MAX_PAGE_ENTRIES = 1000

type Signal = AbortSignal | undefined

interface Condition {
  readonly IfMatch?: string
  readonly IfNoneMatch?: string
}

/** One attempt, no time limit: wrap the driver for both. */
export function s3Storage(settings: S3StorageOptions): StorageDriver {
  const { bucket: Bucket, now, pageEntries = MAX_PAGE_ENTRIES, ...rest } = settings
  const { maxSingleCopyBytes, copyPartBytes, ...others } = rest
  const { maxSinglePutBytes = MAX_SINGLE_PUT_BYTES, ...where } = others
  const client = s3Client(where)
  const sendIfMatch = etagCondition()

  async function head(Key: string, signal: Signal): Promise<ObjectInfo | null> {
    const answer = await nullOn(isMissing, () =>
      client.send(new HeadObjectCommand({ Bucket, Key }), until(signal)),
    )
    return answer && infoOf(Key, answer)
  }

  async function open(Key: string, range: GetOptions['range'], signal: Signal) {
    const answer = await nullOn(isRangeError, () => getObject(Key, range, signal))
    return answer ? openedOf(Key, answer) : emptyOf(await head(Key, signal))
  }

  /** `null` also for an empty range, which no header can express. */
  async function getObject(Key: string, range: GetOptions['range'], signal: Signal) {
    if (range?.length === 0) return null
    const input = { Bucket, Key, ...(range && { Range: rangeOf(range) }) }
    const answer = await client.send(new GetObjectCommand(input), until(signal))
    if (!isEncoded(answer)) return answer
    // fetch decodes compressed objects, so sizes and ranges would not match.
    await answer.Body?.transformToWebStream().cancel()
    const unnamed = { ...input, ResponseContentEncoding: 'identity' }
    const asStored = await client.send(new GetObjectCommand(unnamed), until(signal))
    if (isEncoded(asStored)) throw new UnexpectedAnswer('way to give compressed objects as stored')
    return asStored
  }

  function targetOf(Key: string, options: PutOptions) {
    const { contentType: ContentType = DEFAULT_CONTENT_TYPE, metadata } = options
    return { Bucket, Key, ContentType, Metadata: { ...metadata } }
  }

  async function put(Key: string, body: ObjectBody, options: PutOptions): Promise<string> {
    const { ifMatch, ifNoneMatch, signal } = options
    const target = targetOf(Key, options)
    const send = async (condition: Condition) => {
      const command = new PutObjectCommand({ ...target, ...condition, ...payloadOf(body) })
      return etagOf(await client.send(command, until(signal)))
    }
    const sendUnder = (condition: Condition) =>
      send(condition).catch((error) => Promise.reject(putError(error)))

    if (ifNoneMatch !== undefined) return sendUnder({ IfNoneMatch: ifNoneMatch })
    if (ifMatch !== undefined) {
      const currentEtag = async () => (await head(Key, signal))?.etag
      return sendIfMatch(ifMatch, (IfMatch) => sendUnder({ IfMatch }), currentEtag)
    }
    if (byteLengthOf(body) <= maxSinglePutBytes) return send({})
    return etagOfParts(await putInParts(client, target, body, signal), target, signal)
  }

  /** Ceph omits the etag of a multipart upload; metadata shows whether the object is still ours. */
  async function etagOfParts(
    ETag: string | undefined,
    { Key, Metadata }: MultipartTarget,
    signal: Signal,
  ): Promise<string> {
    if (ETag) return bareEtag(ETag)
    const info = await head(Key!, signal)
    const marks = Object.entries(Metadata ?? {})
    if (!info || marks.some(([name, value]) => info.metadata[name] !== value)) {
      throw new UnexpectedAnswer('etag')
    }
    return info.etag
  }

  async function createUpload(Key: string, options: UploadOptions): Promise<PartUpload> {
    const target = targetOf(Key, options)
    const upload = await createS3Upload(client, target)
    return {
      putPart: (number, body, { signal } = {}) =>
        untilAborted(signal, () => upload.putPart(number, body, signal)),
      complete: ({ signal } = {}) =>
        untilAborted(signal, async () => ({
          etag: await etagOfParts(await upload.complete(signal), target, signal),
        })),
      abort: upload.abort,
    }
  }

  async function putStream(
    Key: string,
    body: ReadableStream<Uint8Array>,
    options: PutStreamOptions,
  ): Promise<string> {
    const { bytes, ifMatch, ifNoneMatch, signal } = options
    // The etag form may need a second attempt, but a stream can be sent only once.
    if (ifMatch !== undefined) return put(Key, await readAll(body, bytes), options)
    const condition = ifNoneMatch === undefined ? {} : { IfNoneMatch: ifNoneMatch }
    const payload = { Body: withExactLength(bytes, body), ContentLength: bytes }
    const command = new PutObjectCommand({ ...targetOf(Key, options), ...condition, ...payload })
    const answer = client.send(command, until(signal))
    return etagOf(await answer.catch((error) => Promise.reject(putError(error))))
  }

  async function* list(Prefix: string, options: ListOptions = {}) {
    const { delimiter, startAfter, limit = Infinity, signal } = options
    const query = {
      Bucket,
      Prefix,
      ...(delimiter && { Delimiter: delimiter }),
      ...(startAfter && { StartAfter: startAfter }),
    }
    let token: string | undefined
    for (let left = limit; left > 0;) {
      const MaxKeys = Math.min(left, pageEntries)
      const input = { ...query, MaxKeys, ...(token && { ContinuationToken: token }) }
      const page = await untilAborted(signal, () =>
        client.send(new ListObjectsV2Command(input), until(signal)),
      )
      const entries = entriesOf(page)
      yield* entries
      token = page.NextContinuationToken
      if (!page.IsTruncated || !token) return
      left -= entries.length
    }
  }

  return {
    get: (key, { range, signal } = {}) =>
      untilAborted(signal, async () => {
        const opened = await nullOn(isMissing, () => open(key, range, signal))
        if (!opened) return null
        const { body, bodyBytes, ...info } = opened
        return { ...info, body: await readAll(body, bodyBytes) }
      }),

    getStream: (key, { range, signal } = {}) =>
      untilAborted(signal, async () => {
        const opened = await untilOpen(signal, (ending) =>
          nullOn(isMissing, () => open(key, range, ending)),
        )
        if (!opened) return null
        const { bodyBytes: _, ...object } = opened
        return object
      }),

    head: (key, { signal } = {}) => untilAborted(signal, () => head(key, signal)),

    put: (key, body, options = {}) =>
      untilAborted(options.signal, async () => ({ etag: await put(key, body, options) })),

    putStream: (key, body, options) =>
      untilAborted(options.signal, async () => ({ etag: await putStream(key, body, options) })),

    createUpload: (key, options = {}) => created(options.signal, () => createUpload(key, options)),

    delete: (Key, { signal } = {}) =>
      untilAborted(signal, async () => {
        await nullOn(isMissing, () =>
          client.send(new DeleteObjectCommand({ Bucket, Key }), until(signal)),
        )
      }),

    list,

    copy: (from, to, { signal } = {}) =>
      untilAborted(signal, async () => {
        const source = (ending: Signal) => head(from, ending)
        const request = { client, Bucket, from, to, head: source, signal }
        const limits = { maxSingleCopyBytes, copyPartBytes }
        // Missing: the source has gone since it was looked at.
        return (await nullOn(isMissing, () => copyObject({ ...request, ...limits }))) ?? false
      }),

    ...s3SdkPresigner(client, Bucket, now ?? (() => new Date())),
  }
}

function until(signal: Signal) {
  return signal ? { abortSignal: signal } : {}
}

/** `null` for expected errors. */
async function nullOn<T>(
  isAnswer: (error: unknown) => boolean,
  request: () => Promise<T>,
): Promise<T | null> {
  try {
    return await request()
  } catch (error) {
    if (isAnswer(error)) return null
    throw error
  }
}

/** The signal ends the request, not the returned body. */
async function untilOpen<T>(signal: Signal, open: (ending: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const end = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', end)
  try {
    return await open(ending.signal)
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

function rangeOf({ offset, length }: NonNullable<GetOptions['range']>): string {
  return `bytes=${offset}-${offset + length - 1}`
}
