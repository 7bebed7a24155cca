/** Objects in an R2 bucket bound to a Worker. */
import type * as Cloudflare from '@cloudflare/workers-types'
import type {
  GetOptions,
  ListEntry,
  ListedObject,
  ObjectBody,
  ObjectInfo,
  PutOptions,
  StorageDriver,
} from './driver.ts'
import { PreconditionFailed } from './driver.ts'
import { inOrder } from './key-order.ts'
import { byteLengthOf, chunksOf } from './object-body.ts'
import { untilAborted } from '../lib/abort.ts'
import type { Presigner } from './s3/presigner.ts'

declare const FixedLengthStream: new (bytes: number) => TransformStream<Uint8Array, Uint8Array>

const MAX_PAGE_ENTRIES = 1000

const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

type R2Value = Uint8Array | Cloudflare.ReadableStream

/** @param presigner With credentials of the same bucket's S3 side; the binding itself cannot presign. */
export function r2Storage(bucket: Cloudflare.R2Bucket, presigner?: Presigner): StorageDriver {
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
        // Nobody is left to read it.
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

    delete: (key, { signal } = {}) => untilAborted(signal, () => bucket.delete(key)),

    async *list(prefix, { delimiter, startAfter, limit = Infinity, signal } = {}) {
      const query: Cloudflare.R2ListOptions = {
        prefix,
        ...(delimiter && { delimiter }),
        ...(startAfter && { startAfter }),
      }
      for (let left = limit; left > 0;) {
        query.limit = Math.min(left, MAX_PAGE_ENTRIES)
        const page = await untilAborted(signal, () => bucket.list(query))
        yield* entriesOf(page)
        if (!page.truncated) return
        query.cursor = page.cursor
        delete query.startAfter
        left -= page.objects.length + page.delimitedPrefixes.length
      }
    },

    copy: (from, to, { signal } = {}) =>
      untilAborted(signal, async () => {
        const source = await bucket.get(from)
        if (!source) return false
        const { httpMetadata = {}, customMetadata = {} } = source
        const body = withLength(source.size, streamOf(source))
        await bucket.put(to, body, { httpMetadata, customMetadata })
        return true
      }),

    ...presigner,
  }
}

interface Found {
  readonly object: Cloudflare.R2Object
  /** Absent for a range without a byte. */
  readonly body?: Cloudflare.R2ObjectBody
}

/** Asks a second time only when a range fails: R2 refuses one that lies beyond the end. */
async function getRange(
  bucket: Cloudflare.R2Bucket,
  key: string,
  range: GetOptions['range'],
): Promise<Found | null> {
  if (!range) return withBody(await bucket.get(key))
  try {
    return withBody(await bucket.get(key, { range }))
  } catch (error) {
    // Told by the size, not by the error: local R2 calls a range right at the end an internal one.
    const object = await bucket.head(key)
    if (object && range.length > 0 && range.offset < object.size) throw error
    return object && { object }
  }
}

function withBody(object: Cloudflare.R2ObjectBody | null): Found | null {
  return object && { object, body: object }
}

/** One chunk goes as it is; more are streamed, so that they are never in memory twice. */
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

// Workers types describe the web's own streams a second time; hence the casts.
function streamOf({ body }: Cloudflare.R2ObjectBody): ReadableStream<Uint8Array> {
  return body as unknown as ReadableStream<Uint8Array>
}

/** R2 takes a stream only when its length is known beforehand. */
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

/** A page holds what comes next of both kinds; only inside it they are apart. */
function entriesOf({ objects, delimitedPrefixes }: Cloudflare.R2Objects): ListEntry[] {
  const files = objects.map((object) => ({ kind: 'object' as const, object: listedOf(object) }))
  if (delimitedPrefixes.length === 0) return files
  const folders = delimitedPrefixes.map((prefix) => ({ kind: 'prefix' as const, prefix }))
  return inOrder([...files, ...folders])
}

function listedOf({ key, size, etag, uploaded }: Cloudflare.R2Object): ListedObject {
  return { key, bytes: size, etag, modifiedAt: uploaded }
}

function infoOf(object: Cloudflare.R2Object): ObjectInfo {
  const { httpMetadata, customMetadata } = object
  const contentType = httpMetadata?.contentType ?? DEFAULT_CONTENT_TYPE
  return { ...listedOf(object), contentType, metadata: { ...customMetadata } }
}
