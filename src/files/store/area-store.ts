/** The files of an area by path: the only way from a path to the object store. */
import type {
  GetOptions,
  ListEntry,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  PresignedUrl,
  PresignGetOptions,
  PresignPutOptions,
  StorageDriver,
  StoredObject,
  StreamedObject,
} from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { readAll } from '../../storage/read-stream.ts'
import { append, type AppendOptions } from './append.ts'
import type { AreaKeys } from './area.ts'
import { contentTypeOf } from '../content-type.ts'
import { listArea, pathsBelow, type FileEntry, type ListAreaOptions } from './list-area.ts'
import type { FolderPath, VirtualPath } from '../path.ts'
import {
  TrackedWrite,
  type Send,
  type StoredWrite,
  type WriteCondition,
  type WriteTarget,
  type WrittenFile,
} from './tracked-write.ts'
import { untilAborted, type Ending } from '../../lib/abort.ts'
import { oneAtATime } from '../../lib/parallel.ts'
import { isClear, type SendHooks } from './part-sender.ts'
import { UploadStream, type UploadHooks, type UploadSizes } from './upload-stream.ts'
import { withTombstones, type VersionedStorage } from './with-tombstones.ts'
import { markWrite, newWriteId } from './marks.ts'
import type { Amount } from '../usage/amount.ts'
import type { StorageMeter } from '../usage/storage-meter.ts'
import { partsOf, REQUESTS } from './request-costs.ts'

/** Of a listing, on every store. */
const PAGE_ENTRIES = 1000

export type StoreRange = NonNullable<GetOptions['range']>

/** A request that changes a file: its outcome is unknown if it fails. */
export interface FileChangeRequest {
  readonly path: VirtualPath
  readonly condition: WriteCondition
}

export interface AreaStoreOptions {
  readonly storage: StorageDriver
  readonly area: AreaKeys
  /** Aborts every request. */
  readonly ending?: Ending | undefined
  /** Aborts changes instead of `ending`, once they have begun. */
  readonly changeEnding?: Ending | undefined
  /** Called with the number of requests that an operation takes, retries apart. */
  readonly onRequest?: ((requests: number) => void) | undefined
  /** Takes room for whatever is written; absent if that is not limited. */
  readonly meter?: StorageMeter | undefined
  /** Maps failures; by default the store's error is thrown. */
  readonly errorOf?: ((cause: unknown, change?: FileChangeRequest) => Error) | undefined
}

export interface FilePutOptions extends WriteCondition {
  /** Write ids of earlier puts of the same content; each put adds its own. */
  readonly ids?: Set<string> | undefined
  /** Metadata of the file that this is a copy of: its write ids are kept. */
  readonly before?: ObjectInfo['metadata'] | undefined
}

/** A request body being uploaded. */
export interface IncomingBody {
  /** Why it broke off, if it did: nothing was stored then. */
  readonly fault: Error | undefined
  stream(): ReadableStream<Uint8Array>
}

/**
 * A missing file is no error. Writes may also reject with `PreconditionFailed` or `MayBeStored`.
 */
export class AreaStore {
  readonly area: AreaKeys
  readonly #storage: VersionedStorage
  readonly #options: AreaStoreOptions
  /**
   * A driver may hold the source open while it writes. A Worker has six connections: six copies at
   * once would take them all, and each wait for another.
   */
  readonly #copyInTurn = oneAtATime()

  constructor(options: AreaStoreOptions) {
    this.area = options.area
    this.#storage = withTombstones(options.storage)
    this.#options = options
  }

  head(path: VirtualPath): Promise<ObjectInfo | null> {
    return this.#request((signal) => this.#storage.head(this.#keyOf(path), { signal }))
  }

  get(path: VirtualPath, range?: StoreRange): Promise<StoredObject | null> {
    const options = range ? { range } : {}
    return this.#request((signal) => this.#storage.get(this.#keyOf(path), { ...options, signal }))
  }

  /**
   * Reads a whole file.
   *
   * @param tooLarge Makes the error for a file above `maxBytes`, before its body is read.
   * @param hold Reserves memory for the body.
   */
  getWhole(
    path: VirtualPath,
    maxBytes: number,
    tooLarge: (bytes: number) => Error,
    hold?: (bytes: number) => Promise<void> | undefined,
  ): Promise<StoredObject | null> {
    return this.#request(async (signal) => {
      const file = await this.#storage.getStream(this.#keyOf(path), { signal })
      if (!file) return null
      if (file.bytes > maxBytes) {
        await file.body.cancel()
        throw tooLarge(file.bytes)
      }
      await hold?.(file.bytes)
      return { ...file, body: await readAll(file.body, file.bytes, signal) }
    })
  }

  /** The signal aborts the request, not the body. */
  getStream(path: VirtualPath, range?: StoreRange): Promise<StreamedObject | null> {
    const options = range ? { range } : {}
    return this.#request((signal) =>
      this.#storage.getStream(this.#keyOf(path), { ...options, signal }),
    )
  }

  put(
    path: VirtualPath,
    body: ObjectBody,
    { ids, ...condition }: FilePutOptions = {},
  ): Promise<WrittenFile> {
    const write = new TrackedWrite(this.#target(path), ids)
    const written = this.#metered(byteLengthOf(body), () =>
      write
        .put(byteLengthOf(body), condition, (key, how) => this.#storage.put(key, body, how))
        .catch((failure: unknown) => write.settle(failure)),
    )
    return this.#answer(written, REQUESTS.put + partsOf(byteLengthOf(body)), { path, condition })
  }

  /** Like {@link put}, for bodies that must not be buffered. */
  upload(
    path: VirtualPath,
    body: IncomingBody,
    { bytes, ...condition }: WriteCondition & { readonly bytes: number },
  ): Promise<WrittenFile> {
    const write = new TrackedWrite(this.#target(path))
    const send: Send = (key, how) => this.#storage.putStream(key, body.stream(), { ...how, bytes })
    const written = this.#metered(bytes, () =>
      write.put(bytes, condition, send).catch((failure: unknown) => {
        if (body.fault) throw body.fault
        return write.settle(failure)
      }),
    )
    return this.#answer(written, REQUESTS.put, { path, condition })
  }

  /** Replaces a file by what is written to the stream; nothing is stored before it is closed. */
  openUpload(
    path: VirtualPath,
    { onFreed, take, ...sizes }: UploadSizes & Pick<UploadHooks, 'onFreed' | 'take'> = {},
  ): UploadStream {
    const hooks = { ...this.#sendHooks(path), onFreed, ...(take && { take }) }
    return new UploadStream(this.#target(path), hooks, sizes)
  }

  /** Appends without losing or duplicating data under concurrent writes. */
  append(
    path: VirtualPath,
    chunks: readonly Uint8Array[],
    options?: AppendOptions,
  ): Promise<StoredWrite> {
    const appended = this.#metered(byteLengthOf(chunks), () =>
      append(this.#target(path), chunks, options),
    )
    return this.#answer(appended, REQUESTS.append + partsOf(byteLengthOf(chunks)), {
      path,
      condition: {},
    })
  }

  /** Succeeds if there is no such file. */
  remove(path: VirtualPath): Promise<void> {
    return this.#change(path, (signal) => this.#storage.delete(this.#keyOf(path), { signal }))
  }

  /** Deletes only the version with this etag; `false` if another version is there. */
  removeVersion(path: VirtualPath, etag: string): Promise<boolean> {
    const remove = (signal: AbortSignal | undefined) =>
      this.#storage.deleteIf(this.#keyOf(path), etag, { signal })
    return this.#change(path, remove, REQUESTS.removeVersion)
  }

  /** Replaces the target; `false` if the source does not exist. */
  copy(from: VirtualPath, to: VirtualPath): Promise<boolean> {
    const copy = (signal: AbortSignal | undefined) =>
      this.#storage.copy(this.#keyOf(from), this.#keyOf(to), { signal })
    const { meter } = this.#options
    return this.#copyInTurn(async () => {
      const source = meter ? await this.head(from) : undefined
      if (source === null) return false
      const bytes = source?.bytes ?? 0
      return this.#change(to, (signal) => this.#metered(bytes, () => copy(signal)), REQUESTS.copy)
    })
  }

  /** Keeps an empty folder: an object whose key ends in a slash. */
  async putMarker(folder: VirtualPath): Promise<void> {
    const metadata = markWrite(newWriteId())
    await this.#change(folder, (signal) =>
      this.#metered(0, () =>
        this.#storage.put(this.prefixOf(folder), new Uint8Array(), { metadata, signal }),
      ),
    )
  }

  /** Succeeds if there is no marker. */
  removeMarker(folder: VirtualPath): Promise<void> {
    return this.#change(folder, (signal) => this.#storage.delete(this.prefixOf(folder), { signal }))
  }

  /** Whether anything is below a folder, its own marker included, apart from `except`. */
  holdsAny(folder: FolderPath, except: ReadonlySet<VirtualPath> = new Set()): Promise<boolean> {
    const gone = new Set(pathsBelow(folder, except).map((path) => this.#keyOf(path)))
    return this.#request(async (signal) => {
      const listing = { limit: 1 + gone.size, signal }
      for await (const entry of this.#storage.list(this.prefixOf(folder), listing)) {
        if (entry.kind === 'object' && !gone.has(entry.object.key)) return true
      }
      return false
    })
  }

  /** In key order; empty for a missing folder. */
  list(folder: FolderPath, options: ListAreaOptions = {}): AsyncGenerator<FileEntry> {
    return listArea(this, folder, options)
  }

  /** Raw listing of the store. */
  async *listKeys(prefix: string, options: ListOptions): AsyncGenerator<ListEntry> {
    const { signal } = this.#options.ending ?? {}
    const entries = this.#storage.list(prefix, { ...options, signal })[Symbol.asyncIterator]()
    for (let listed = 0; ; listed++) {
      const requests = listed % PAGE_ENTRIES === 0 ? 1 : 0
      const next = await this.#request(() => entries.next(), requests)
      if (next.done) return
      yield next.value
    }
  }

  /** The key prefix of everything below a folder. */
  prefixOf(folder: FolderPath): string {
    const key = this.area.keyFor(folder)
    return folder === '' ? key : `${key}/`
  }

  /** `undefined` if the store cannot presign. */
  async presignGet(
    path: VirtualPath,
    options: PresignGetOptions,
  ): Promise<PresignedUrl | undefined> {
    return this.#storage.presignGet?.(this.#keyOf(path), options)
  }

  /** `undefined` if the store cannot presign. */
  async presignPut(
    path: VirtualPath,
    options: PresignPutOptions,
  ): Promise<PresignedUrl | undefined> {
    return this.#storage.presignPut?.(this.#keyOf(path), options)
  }

  #keyOf(path: VirtualPath): string {
    return this.area.keyFor(path)
  }

  #target(path: VirtualPath): WriteTarget {
    const key = this.#keyOf(path)
    const contentType = contentTypeOf(path)
    return { storage: this.#storage, path, key, contentType, signal: this.#changeSignal }
  }

  get #changeSignal(): AbortSignal | undefined {
    const { ending, changeEnding = ending } = this.#options
    return changeEnding?.signal
  }

  #request<T>(work: (signal: AbortSignal | undefined) => Promise<T>, requests = 1): Promise<T> {
    const signal = this.#options.ending?.signal
    return this.#answer(
      untilAborted(signal, () => work(signal)),
      requests,
    )
  }

  #change<T>(
    path: VirtualPath,
    work: (signal: AbortSignal | undefined) => Promise<T>,
    requests = 1,
  ): Promise<T> {
    const signal = this.#changeSignal
    const answer = untilAborted(signal, () => work(signal))
    return this.#answer(answer, requests, { path, condition: {} })
  }

  #sendHooks(path: VirtualPath): SendHooks {
    const { onRequest, errorOf, meter } = this.#options
    return {
      onRequest,
      errorOf: errorOf && ((cause) => errorOf(cause, { path, condition: {} })),
      take: meter && ((amount: Amount) => meter.take(amount, true)),
      onEnd: meter && ((isCertain) => meter.ended(isCertain)),
    }
  }

  /** Replacing a file takes room too: what it was is only known when everything is counted. */
  #metered<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    const { meter } = this.#options
    return meter ? metered(meter, bytes, write) : write()
  }

  /** Maps the failure of a pending request with `errorOf`. */
  async #answer<T>(answer: Promise<T>, requests: number, change?: FileChangeRequest): Promise<T> {
    const { onRequest, errorOf } = this.#options
    onRequest?.(requests)
    if (!errorOf) return answer
    return answer.catch((cause: unknown) => {
      throw errorOf(cause, change)
    })
  }
}

async function metered<T>(meter: StorageMeter, bytes: number, write: () => Promise<T>): Promise<T> {
  await meter.take({ bytes, objects: 1 })
  try {
    const written = await write()
    await meter.ended(true)
    return written
  } catch (error) {
    await meter.ended(isClear(error))
    throw error
  }
}
