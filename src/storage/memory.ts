/** An in-memory store, for tests. */
import type {
  GetOptions,
  ListEntry,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  PutOptions,
  RequestOptions,
  StorageDriver,
  StoredObject,
  UploadOptions,
} from './driver.ts'
import { PreconditionFailed } from './driver.ts'
import { compareUtf8 } from './key-order.ts'
import { byteLengthOf, copyOf } from './object-body.ts'
import { PartList } from './part-list.ts'

export interface MemoryStorage extends StorageDriver {
  /** Keys of uploads neither completed nor aborted. */
  unfinishedUploads(): string[]
}

/** Etags are versions: storing the same bytes again changes them. */
export function memoryStorage(): MemoryStorage {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<object, string>()
  let version = 0

  function save(key: string, object: Pick<StoredObject, 'body' | 'contentType' | 'metadata'>) {
    const { body, contentType } = object
    const etag = `v${++version}`
    const metadata = { ...object.metadata }
    const modifiedAt = new Date()
    objects.set(key, { key, bytes: body.length, etag, modifiedAt, contentType, metadata, body })
    return { etag }
  }

  async function get(key: string, { range, signal }: GetOptions = {}) {
    signal?.throwIfAborted()
    const object = objects.get(key)
    if (!object) return null
    const { offset, length } = range ?? { offset: 0, length: object.bytes }
    return { ...object, body: object.body.slice(offset, offset + length) }
  }

  async function put(key: string, body: ObjectBody, options: PutOptions = {}) {
    options.signal?.throwIfAborted()
    if (!isMet(options, objects.get(key))) throw new PreconditionFailed()
    const { contentType = 'application/octet-stream', metadata = {} } = options
    return save(key, { body: copyOf(body), contentType, metadata })
  }

  async function createUpload(key: string, { signal: atStart, ...options }: UploadOptions = {}) {
    atStart?.throwIfAborted()
    const parts = new PartList<Uint8Array>()
    const id = {}
    uploads.set(id, key)
    const assertOpen = (signal: AbortSignal | undefined) => {
      signal?.throwIfAborted()
      if (!uploads.has(id)) throw new Error('the upload is over')
    }
    return {
      async putPart(number: number, body: ObjectBody, { signal }: RequestOptions = {}) {
        assertOpen(signal)
        parts.add(number, byteLengthOf(body), copyOf(body))
      },
      async complete({ signal }: RequestOptions = {}) {
        assertOpen(signal)
        const stored = await put(key, parts.all(), options)
        uploads.delete(id)
        return stored
      },
      async abort() {
        uploads.delete(id)
      },
    }
  }

  return {
    get,

    async getStream(key, options) {
      const object = await get(key, options)
      return object && { ...object, body: new Blob([object.body]).stream() }
    },

    async head(key, { signal } = {}) {
      signal?.throwIfAborted()
      const object = objects.get(key)
      return object ? infoOf(object) : null
    },

    put,

    async putStream(key, stream, options) {
      options.signal?.throwIfAborted()
      const body = new Uint8Array(await new Response(stream).arrayBuffer())
      if (body.length !== options.bytes)
        throw new Error('the stream length differs from the declared one')
      return put(key, body, options)
    },

    createUpload,

    unfinishedUploads: () => [...uploads.values()],

    async delete(key, { signal } = {}) {
      signal?.throwIfAborted()
      objects.delete(key)
    },

    async deleteIf(key, etag, { signal } = {}) {
      signal?.throwIfAborted()
      const current = objects.get(key)
      if (current?.etag === etag) objects.delete(key)
      return current === undefined || current.etag === etag
    },

    async *list(prefix, options = {}) {
      options.signal?.throwIfAborted()
      const { startAfter = '' } = options
      const found = [...objects.values()].filter(
        ({ key }) => key.startsWith(prefix) && compareUtf8(key, startAfter) > 0,
      )
      yield* entriesOf(
        found.sort((a, b) => compareUtf8(a.key, b.key)),
        prefix,
        options,
      )
    },

    async copy(from, to, { signal } = {}) {
      signal?.throwIfAborted()
      const source = objects.get(from)
      if (source) save(to, source)
      return source !== undefined
    },
  }
}

function isMet({ ifMatch, ifNoneMatch }: PutOptions, current: StoredObject | undefined): boolean {
  if (ifNoneMatch !== undefined && current) return false
  return ifMatch === undefined || ifMatch === current?.etag
}

function infoOf(object: StoredObject): ObjectInfo {
  const { key, bytes, etag, modifiedAt, contentType, metadata } = object
  return { key, bytes, etag, modifiedAt, contentType, metadata }
}

function* entriesOf(
  sorted: readonly StoredObject[],
  prefix: string,
  { delimiter, limit = Infinity }: ListOptions,
): Generator<ListEntry> {
  let lastPrefix = ''
  let count = 0
  for (const object of sorted) {
    const cut = delimiter === undefined ? -1 : object.key.indexOf(delimiter, prefix.length)
    const folder = cut === -1 ? '' : object.key.slice(0, cut + 1)
    if (folder !== '' && folder === lastPrefix) continue
    if (count++ === limit) return
    lastPrefix = folder
    yield folder === ''
      ? { kind: 'object', object: infoOf(object) }
      : { kind: 'prefix', prefix: folder }
  }
}
