/** The contract of an object store. */

/** A chunk list is one body: avoids joining large files. */
export type ObjectBody = Uint8Array | readonly Uint8Array[]

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  /** Opaque. Changes with the content; some stores keep it for identical bytes. */
  readonly etag: string
  readonly modifiedAt: Date
}

/** Metadata, without the bytes. */
export interface ObjectInfo extends ListedObject {
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
}

/** `bytes` is the size of the whole object even under a range. */
export interface StoredObject extends ObjectInfo {
  /** A copy: the caller may change it. */
  readonly body: Uint8Array
}

/** `bytes` is the size of the whole object even under a range. */
export interface StreamedObject extends ObjectInfo {
  /** Must be read to the end or cancelled: it holds a connection. */
  readonly body: ReadableStream<Uint8Array>
}

/** With a delimiter, keys beyond it collapse into one entry: their common prefix, ending in it. */
export type ListEntry =
  | { readonly kind: 'object'; readonly object: ListedObject }
  | { readonly kind: 'prefix'; readonly prefix: string }

export interface RequestOptions {
  /** Rejects with the signal's reason; a write may still have succeeded. */
  readonly signal?: AbortSignal | undefined
}

/** Without a range, the whole object. */
export interface GetOptions extends RequestOptions {
  readonly range?: { readonly offset: number; readonly length: number }
}

/** Without a condition, the last writer wins. */
export interface PutOptions extends RequestOptions {
  /** Replaces only the version with this etag. */
  readonly ifMatch?: string
  /** Creates, never replaces. */
  readonly ifNoneMatch?: '*'
  readonly contentType?: string
  /** Lower-case ASCII names and ASCII values. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The length is sent before the first byte. */
export interface PutStreamOptions extends PutOptions {
  readonly bytes: number
}

/** Unconditional: stores ignore conditions on uploads in parts. */
export type UploadOptions = Omit<PutOptions, 'ifMatch' | 'ifNoneMatch'>

/** An object put in parts, which must be completed or aborted: stores keep and charge for parts. */
export interface PartUpload {
  /**
   * Side by side and in any order; the same number again replaces its part.
   *
   * @param number Counts from 1.
   */
  putPart(number: number, body: ObjectBody, options?: RequestOptions): Promise<void>

  /** Atomic, the last writer wins. Rejects if parts are missing or of unequal size. */
  complete(options?: RequestOptions): Promise<{ readonly etag: string }>

  /** Leaves no part behind; succeeds if already completed or aborted. */
  abort(): Promise<void>
}

/** Without a delimiter, every object below the prefix. */
export interface ListOptions extends RequestOptions {
  readonly delimiter?: '/'
  /** Skips keys up to and including this one; a prefix is listed while a key in it is left. */
  readonly startAfter?: string | undefined
  /** Maximum number of entries. */
  readonly limit?: number
}

interface CopyOptions extends RequestOptions {
  /** Of the source, if known: how long it may take. */
  readonly bytes?: number | undefined
}

/** Override the object's own headers, where the store supports it. */
export interface PresignGetOptions {
  readonly expiresAt: Date
  readonly contentType?: string
  readonly contentDisposition?: string
}

export interface PresignPutOptions {
  readonly expiresAt: Date
  /** Signed: other lengths are refused. */
  readonly bytes: number
  readonly contentType?: string
  readonly ifNoneMatch?: '*'
  /** As of a put. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** Contains a signature: never log it. */
export interface PresignedUrl {
  readonly url: string
  /** May be earlier than requested: store limits, or expiring credentials. */
  readonly expiresAt: Date
  /** Signed headers the client must send. */
  readonly headers: Readonly<Record<string, string>>
}

/** The condition of a put did not hold; nothing was stored. */
export class PreconditionFailed extends Error {
  /** The object found instead, if it was looked up. */
  readonly current: ObjectInfo | undefined

  constructor(options: ErrorOptions & { readonly current?: ObjectInfo } = {}) {
    super('the precondition of the write does not hold', options)
    this.name = 'PreconditionFailed'
    this.current = options.current
  }
}

/** Keys are opaque. Methods reject if the store fails, never because an object is missing. */
export interface StorageDriver {
  /** `null` if missing; a range beyond the end gives fewer bytes or none. */
  get(key: string, options?: GetOptions): Promise<StoredObject | null>

  /**
   * As `get`, without buffering. The signal ends the call, not the body: the reader cancels that.
   */
  getStream(key: string, options?: GetOptions): Promise<StreamedObject | null>

  /** `null` if missing. */
  head(key: string, options?: RequestOptions): Promise<ObjectInfo | null>

  /**
   * Atomic. The body is neither kept nor changed. A store of real folders rejects a key that would
   * make a name both a file and a folder.
   *
   * @throws {PreconditionFailed} also for `ifMatch` on a missing object.
   */
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<{ readonly etag: string }>

  /**
   * As `put`, without buffering. Stores nothing if the stream fails or its length differs from
   * `bytes`.
   */
  putStream(
    key: string,
    body: ReadableStream<Uint8Array>,
    options: PutStreamOptions,
  ): Promise<{ readonly etag: string }>

  /**
   * Starts an upload in parts; nothing is visible before `complete`. Parts have equal sizes, except
   * the last; some stores take none below 5 MiB.
   */
  createUpload(key: string, options?: UploadOptions): Promise<PartUpload>

  /** Succeeds if already gone. */
  delete(key: string, options?: RequestOptions): Promise<void>

  /** Atomic. `false` if another version is there, `true` if none is. Absent if unsupported. */
  deleteIf?(key: string, etag: string, options?: RequestOptions): Promise<boolean>

  /** All entries below `prefix`, across pages, ordered by UTF-8 bytes. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListEntry>

  /**
   * Of any size, never whole in memory. Keeps type and metadata, replaces the target. `false`
   * if there is no source; a failed copy leaves nothing.
   */
  copy(from: string, to: string, options?: CopyOptions): Promise<boolean>

  /** A URL for GET, whether or not the object exists. Absent if unsupported. */
  presignGet?(key: string, options: PresignGetOptions): Promise<PresignedUrl>

  /** A URL for PUT. Absent if unsupported. */
  presignPut?(key: string, options: PresignPutOptions): Promise<PresignedUrl>
}
