/** What the rest of the service may ask of an object store, whichever one it is. */

/** A chunk list is one body: a large file is stored without joining its pieces first. */
export type ObjectBody = Uint8Array | readonly Uint8Array[]

/** What a listing knows of an object. */
export interface ListedObject {
  readonly key: string
  readonly bytes: number
  /** Opaque. Differs when the content differs; some stores keep it when the same bytes are put again. */
  readonly etag: string
  readonly modifiedAt: Date
}

/** What the object itself tells, without its bytes. */
export interface ObjectInfo extends ListedObject {
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
}

/** An object with the bytes asked for; `bytes` stays the size of the whole object under a range. */
export interface StoredObject extends ObjectInfo {
  /** The caller's own: changing it changes nothing in the store. */
  readonly body: Uint8Array
}

/** An object whose bytes arrive as they are read; `bytes` stays the size of the whole object under a range. */
export interface StreamedObject extends ObjectInfo {
  /** To be read to its end or cancelled: until then it holds a connection to the store. */
  readonly body: ReadableStream<Uint8Array>
}

/** With a delimiter, keys that go on beyond it are told once, as their common prefix, which ends in it. */
export type ListEntry =
  | { readonly kind: 'object'; readonly object: ListedObject }
  | { readonly kind: 'prefix'; readonly prefix: string }

/** Taken by every request. */
export interface RequestOptions {
  /** Rejects the call with the signal's reason; whether a write got through is then unclear. */
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

/** A stream may have to be measured before the first byte: its length is part of the request. */
export interface PutStreamOptions extends PutOptions {
  readonly bytes: number
}

/** Without a delimiter, every object below the prefix. */
export interface ListOptions extends RequestOptions {
  readonly delimiter?: '/'
  /** Leaves out every key up to this one, itself included; a prefix is told while a key of it is left. */
  readonly startAfter?: string | undefined
  /** Ends the listing after so many entries. */
  readonly limit?: number
}

/** Type and disposition replace the object's own in the answer, where the store can do that. */
export interface PresignGetOptions {
  readonly expiresAt: Date
  readonly contentType?: string
  readonly contentDisposition?: string
}

/** What the upload has to look like to be taken. */
export interface PresignPutOptions {
  readonly expiresAt: Date
  /** The only length the URL takes. */
  readonly bytes: number
  readonly contentType?: string
  readonly ifNoneMatch?: '*'
}

/** Holds a signature: never for logs. */
export interface PresignedUrl {
  readonly url: string
  /** Earlier than asked when the store allows less, or the credentials behind it end earlier. */
  readonly expiresAt: Date
  /** What the client has to send along, or the signature fails. */
  readonly headers: Readonly<Record<string, string>>
}

/** A conditional put met another version, an existing object, or none: nothing was stored. */
export class PreconditionFailed extends Error {
  /** What is there instead, where somebody has looked. */
  readonly current: ObjectInfo | undefined

  constructor(options: ErrorOptions & { readonly current?: ObjectInfo } = {}) {
    super('the object is not in the state the write asked for', options)
    this.name = 'PreconditionFailed'
    this.current = options.current
  }
}

/** Keys are opaque here. Every method rejects when the store fails; none rejects because of a missing object. */
export interface StorageDriver {
  /** Resolves to `null` when there is no such object; a range beyond the end gives fewer bytes or none. */
  get(key: string, options?: GetOptions): Promise<StoredObject | null>

  /**
   * As `get`, for downloads that must not be held in memory. The signal ends the call, not the body:
   * that is cancelled by whoever reads it.
   */
  getStream(key: string, options?: GetOptions): Promise<StreamedObject | null>

  /** Resolves to `null` when there is no such object. */
  head(key: string, options?: RequestOptions): Promise<ObjectInfo | null>

  /**
   * Creates or replaces the object; readers see the old bytes or the new, never a mix. The body is
   * neither kept nor transferred: it stays the caller's. A store made of real folders rejects a key below
   * that of another object, and one that others lie below.
   *
   * @throws {PreconditionFailed} also for `ifMatch` on a missing object.
   */
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<{ readonly etag: string }>

  /**
   * As `put`, for uploads that must not be held in memory. Rejects and stores nothing when the stream
   * fails, or has more or fewer bytes than told.
   */
  putStream(
    key: string,
    body: ReadableStream<Uint8Array>,
    options: PutStreamOptions,
  ): Promise<{ readonly etag: string }>

  /** Succeeds when the object is already gone. */
  delete(key: string, options?: RequestOptions): Promise<void>

  /**
   * Deletes only the version with this etag, in one step. Resolves to `false` when another one is there,
   * and to `true` when there is none any more. Absent where the store cannot do that.
   */
  deleteIf?(key: string, etag: string, options?: RequestOptions): Promise<boolean>

  /**
   * Everything whose key starts with `prefix`, across all pages; empty when nothing does. Objects and
   * prefixes come together in the order of their UTF-8 bytes.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListEntry>

  /** Keeps type and metadata, replaces the target. Resolves to `false` when there is no source. */
  copy(from: string, to: string, options?: RequestOptions): Promise<boolean>

  /** A URL anyone may GET, whether or not the object exists. Absent when the store cannot presign. */
  presignGet?(key: string, options: PresignGetOptions): Promise<PresignedUrl>

  /** A URL anyone may PUT to. Absent when the store cannot presign. */
  presignPut?(key: string, options: PresignPutOptions): Promise<PresignedUrl>
}
