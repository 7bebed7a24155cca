/** R2 storage through a Worker binding. */
import type * as Cloudflare from '@cloudflare/workers-types'
import type {
  GetOptions,
  ListEntry,
  ListedObject,
  ObjectBody,
  ObjectInfo,
  PartUpload,
  PutOptions,
  StorageDriver,
} from './driver.ts'
import { PreconditionFailed } from './driver.ts'
import { sortEntries } from './key-order.ts'
import { byteLengthOf, chunksOf } from './object-body.ts'
import { untilAborted } from '../lib/abort.ts'
import { copyInR2, type R2CopyLimits } from './r2-copy.ts'
import { created, PartList } from './part-list.ts'
import type { Presigner } from './s3/presigner.ts'

declare const FixedLengthStream: new (bytes: number) => TransformStream<Uint8Array, Uint8Array>

const MAX_PAGE_ENTRIES = 1000

const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

type R2Value = Uint8Array | Cloudflare.ReadableStream

interface R2Limits extends R2CopyLimits {
  /** Of a listing's page; at most 1,000. */
  readonly pageEntries?: number
}

/** @param presigner With S3 credentials of the same bucket; the binding cannot presign. */
export function r2Storage(
  bucket: Cloudflare.R2Bucket,
  presigner?: Presigner,
  { pageEntries = MAX_PAGE_ENTRIES, ...copyLimits }: R2Limits = {},
): StorageDriver {
  const put = (key: string, value: () => R2Value, options: PutOptions) =>
    untilAborted(options.signal, async () => {
      const wanted = putOptionsOf(options)
      const object: Cloudflare.R2Object | null = await bucket.put(key, value(), wanted)
      if (!object) throw new PreconditionFailed()
      return { etag: object.etag }
    })

  return {
    get: (key, options = {}) =>
      untilAborted(options.signal, async () => {
        const found = await getRange(bucket, key, options.range)
        if (!found) return null
        const { object, body } = found
        return { ...infoOf(object), body: body ? await body.bytes() : new Uint8Array() }
      }),

    getStream: (key, options = {}) =>
      untilAborted(options.signal, async () => {
        const found = await getRange(bucket, key, options.range)
        if (!found) return null
        const body = found.body ? streamOf(found.body) : new Blob([]).stream()
        // The caller has gone.
        if (options.signal?.aborted) await body.cancel()
        return { ...infoOf(found.object), body }
      }),

    head: (key, { signal } = {}) =>
      untilAborted(signal, async () => {
        const object = await bucket.head(key)
        return object && infoOf(object)
      }),

    put: (key, body, options = {}) => put(key, () => valueOf(body), options),

    putStream: (key, body, options) => put(key, () => withLength(options.bytes, body), options),

    createUpload: (key, options = {}) =>
      created(options.signal, async () => {
        const { httpMetadata, customMetadata } = putOptionsOf(options)
        const wanted = { httpMetadata: httpMetadata!, customMetadata: customMetadata! }
        return partUpload(await bucket.createMultipartUpload(key, wanted))
      }),

    delete: (key, { signal } = {}) => untilAborted(signal, () => bucket.delete(key)),

    async *list(prefix, { delimiter, startAfter, limit = Infinity, signal } = {}) {
      const query: Cloudflare.R2ListOptions = {
        prefix,
        ...(delimiter && { delimiter }),
        ...(startAfter && { startAfter }),
      }
      for (let left = limit; left > 0;) {
        query.limit = Math.min(left, pageEntries)
        const page = await untilAborted(signal, () => bucket.list(query))
        yield* entriesOf(page)
        if (!page.truncated) return
        query.cursor = page.cursor
        delete query.startAfter
        left -= page.objects.length + page.delimitedPrefixes.length
      }
    },

    copy: (from, to, { signal } = {}) =>
      untilAborted(signal, () => copyInR2(bucket, from, to, signal, copyLimits)),

    ...presigner,
  }
}

interface R2Range {
  readonly object: Cloudflare.R2Object
  /** Absent for an empty range. */
  readonly body?: Cloudflare.R2ObjectBody
}

/** R2 rejects ranges beyond the end; only then is a HEAD needed. */
async function getRange(
  bucket: Cloudflare.R2Bucket,
  key: string,
  range: GetOptions['range'],
): Promise<R2Range | null> {
  if (!range) return withBody(await bucket.get(key))
  try {
    return withBody(await bucket.get(key, { range }))
  } catch (error) {
    // Checked by size: local R2 reports a range at the end as an internal error.
    const object = await bucket.head(key)
    if (object && range.length > 0 && range.offset < object.size) throw error
    return object && { object }
  }
}

function withBody(object: Cloudflare.R2ObjectBody | null): R2Range | null {
  return object && { object, body: object }
}

/** R2's code for an upload that was completed or aborted, at the end of the message. */
const NO_SUCH_UPLOAD = /\(10024\)$/

function partUpload(upload: Cloudflare.R2MultipartUpload): PartUpload {
  const parts = new PartList<Cloudflare.R2UploadedPart>()
  return {
    putPart: (number, body, { signal } = {}) =>
      untilAborted(signal, async () => {
        parts.add(number, byteLengthOf(body), await upload.uploadPart(number, valueOf(body)))
      }),

    complete: ({ signal } = {}) =>
      untilAborted(signal, async () => ({ etag: (await upload.complete(parts.all())).etag })),

    async abort() {
      await upload.abort().catch((error: unknown) => {
        const isOver = error instanceof Error && NO_SUCH_UPLOAD.test(error.message)
        if (!isOver) throw error
      })
    },
  }
}

/** Streams several chunks, so that they are never in memory twice. */
function valueOf(body: ObjectBody): R2Value {
  const chunks = chunksOf(body)
  if (chunks.length <= 1) return chunks[0] ?? new Uint8Array()
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return withLength(byteLengthOf(body), source)
}

// Workers types redeclare web streams; hence the casts.
function streamOf({ body }: Cloudflare.R2ObjectBody): ReadableStream<Uint8Array> {
  return body as unknown as ReadableStream<Uint8Array>
}

/** R2 requires streams of known length. */
function withLength(bytes: number, stream: ReadableStream<Uint8Array>): Cloudflare.ReadableStream {
  const counted = stream.pipeThrough(new FixedLengthStream(bytes))
  return counted as unknown as Cloudflare.ReadableStream
}

function putOptionsOf(options: PutOptions): Cloudflare.R2PutOptions {
  const { ifMatch, ifNoneMatch, contentType = DEFAULT_CONTENT_TYPE, metadata = {} } = options
  const onlyIf: Cloudflare.R2Conditional = {
    ...(ifMatch !== undefined && { etagMatches: ifMatch }),
    ...(ifNoneMatch !== undefined && { etagDoesNotMatch: ifNoneMatch }),
  }
  const isConditional = Object.keys(onlyIf).length > 0
  return {
    httpMetadata: { contentType },
    customMetadata: { ...metadata },
    ...(isConditional && { onlyIf }),
  }
}

/** Pages are in order, but objects and prefixes come separately. */
function entriesOf({ objects, delimitedPrefixes }: Cloudflare.R2Objects): ListEntry[] {
  const files = objects.map((object) => ({ kind: 'object' as const, object: listedOf(object) }))
  if (delimitedPrefixes.length === 0) return files
  const folders = delimitedPrefixes.map((prefix) => ({ kind: 'prefix' as const, prefix }))
  return sortEntries([...files, ...folders])
}

function listedOf({ key, size, etag, uploaded }: Cloudflare.R2Object): ListedObject {
  return { key, bytes: size, etag, modifiedAt: uploaded }
}

function infoOf(object: Cloudflare.R2Object): ObjectInfo {
  const { httpMetadata, customMetadata } = object
  const contentType = httpMetadata?.contentType ?? DEFAULT_CONTENT_TYPE
  return { ...listedOf(object), contentType, metadata: { ...customMetadata } }
}
