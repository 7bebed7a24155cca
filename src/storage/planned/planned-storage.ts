/** A view of a store for plans: reads see what would be written, and nothing is. */
import {
  PreconditionFailed,
  type GetOptions,
  type ObjectInfo,
  type PutOptions,
  type RequestOptions,
  type StorageDriver,
  type StoredObject,
  type StreamedObject,
} from '../driver.ts'
import { copyOf } from '../object-body.ts'
import { oneAtATime } from '../../lib/parallel.ts'
import { listPlanned } from './list-planned.ts'
import { PlannedBody, PlannedObjects, type PlannedObject } from './planned-objects.ts'

const DEFAULT_TYPE = 'application/octet-stream'

/** Cannot presign. */
export interface PlannedStorage extends StorageDriver {
  readonly planned: PlannedObjects
  deleteIf: NonNullable<StorageDriver['deleteIf']>
}

/** @param base Is only read. */
export function plannedStorage(base: StorageDriver): PlannedStorage {
  const planned = new PlannedObjects()

  async function head(key: string, options: RequestOptions = {}): Promise<ObjectInfo | null> {
    options.signal?.throwIfAborted()
    const object = planned.get(key)
    return object === undefined ? base.head(key, options) : object && infoOf(object)
  }

  async function get(key: string, options: GetOptions = {}): Promise<StoredObject | null> {
    options.signal?.throwIfAborted()
    const object = planned.get(key)
    if (object === undefined) return base.get(key, options)
    if (object === null) return null
    if (object.source !== undefined) {
      const source = await base.get(object.source, options)
      return source && { ...infoOf(object), body: source.body }
    }
    return { ...infoOf(object), body: sliceOf(planned.bodyOf(object), options.range) }
  }

  async function getStream(key: string, options: GetOptions = {}): Promise<StreamedObject | null> {
    const object = planned.get(key)
    if (object === undefined) return base.getStream(key, options)
    const found = await get(key, options)
    return found && { ...found, body: new Blob([found.body as BlobPart]).stream() }
  }

  /** @throws {PreconditionFailed} */
  async function assertMet(key: string, { ifMatch, ifNoneMatch, signal }: PutOptions) {
    if (ifMatch === undefined && ifNoneMatch === undefined) return
    const current = await head(key, { signal })
    const isMet = ifMatch === undefined ? current === null : current?.etag === ifMatch
    if (!isMet) throw new PreconditionFailed(current ? { current } : {})
  }

  // One at a time: a condition must still hold when its object is set.
  const inTurn = oneAtATime()

  function finish(key: string, body: PlannedBody, options: PutOptions) {
    return inTurn(async () => {
      try {
        await assertMet(key, options)
        options.signal?.throwIfAborted()
      } catch (error) {
        body.drop()
        throw error
      }
      const { contentType = DEFAULT_TYPE, metadata = {} } = options
      return planned.set(key, { contentType, metadata }, body.end())
    })
  }

  return {
    planned,
    head,
    get,
    getStream,

    async put(key, content, options = {}) {
      const body = new PlannedBody(planned)
      await body.add(content)
      return finish(key, body, options)
    },

    async putStream(key, stream, { bytes, ...options }) {
      const body = new PlannedBody(planned)
      let received = 0
      for await (const piece of stream) {
        received += piece.length
        await body.add(piece)
      }
      if (received === bytes) return finish(key, body, options)
      body.drop()
      throw new Error('the stream length differs from the declared one')
    },

    async createUpload(key, options = {}) {
      options.signal?.throwIfAborted()
      const body = new PlannedBody(planned)
      let parts = 0
      return {
        async putPart(number, part, { signal } = {}) {
          signal?.throwIfAborted()
          // Hashed as they come.
          if (number !== ++parts) throw new Error('the parts of a plan must come in order')
          await body.add(part)
        },
        complete: ({ signal } = {}) => finish(key, body, { ...options, signal }),
        async abort() {
          body.drop()
        },
      }
    },

    async delete(key, { signal } = {}) {
      signal?.throwIfAborted()
      planned.delete(key)
    },

    deleteIf: (key, etag, options) =>
      inTurn(async () => {
        const current = await head(key, options)
        if (current?.etag === etag) planned.delete(key)
        return current === null || current.etag === etag
      }),

    async copy(from, to, options) {
      const source = await head(from, options)
      if (!source) return false
      const object = planned.get(from)
      if (!object) {
        planned.set(to, source, { bytes: source.bytes, source: from, body: null })
        return true
      }
      const { bytes, sha256, body } = object
      // Never changed, so both can have it.
      const isKept = body && (await planned.hold(bytes))
      planned.set(to, source, { bytes, sha256, source: object.source, body: isKept ? body : null })
      return true
    },

    list: (prefix, options) => listPlanned(base, planned, prefix, options),
  }
}

function infoOf({ source: _, body: __, sha256: ___, ...info }: PlannedObject): ObjectInfo {
  return info
}

/** Always a copy. */
function sliceOf(
  chunks: readonly Uint8Array[],
  { offset, length }: NonNullable<GetOptions['range']> = { offset: 0, length: Infinity },
): Uint8Array {
  const pieces: Uint8Array[] = []
  let start = 0
  for (const chunk of chunks) {
    const piece = chunk.subarray(
      Math.max(0, offset - start),
      Math.max(0, Math.min(chunk.length, offset + length - start)),
    )
    if (piece.length > 0) pieces.push(piece)
    start += chunk.length
  }
  return copyOf(pieces)
}
