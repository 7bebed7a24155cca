/** One caller's files for operations that run no script: by path, until their time is over. */
import { AppError, InvalidPath } from '../errors.ts'
import { openArea, type Area } from '../files/area.ts'
import { contentTypeOf } from '../files/content-type.ts'
import {
  foldersAbove,
  parseFolder,
  parsePath,
  type FolderPath,
  type PathRules,
  type VirtualPath,
} from '../files/path.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { pendingTombstone, TOMBSTONE_MS } from '../files/tombstone.ts'
import { untilAborted } from '../lib/abort.ts'
import { withTombstones, type VersionedStorage } from '../files/with-tombstones.ts'
import { holdsWrite, markWrite, newWriteId } from '../files/write-id.ts'
import type {
  GetOptions,
  ObjectBody,
  ObjectInfo,
  PutOptions,
  StorageDriver,
  StoredObject,
  StreamedObject,
} from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import { readAll } from '../storage/read-all.ts'
import { areaOwner } from './area-owner.ts'
import { isSpellable, listArea, type FileEntry, type ListAreaOptions } from './list-area.ts'
import { receiveBody } from './receive-body.ts'
import { areaLayout, pathRules, type RequestContext } from './service.ts'

/** Whose files, where, and what ends every request for them. */
export interface CallerFilesOptions {
  readonly storage: StorageDriver
  readonly area: Area
  readonly paths: PathRules
  /** Segments of the deepest path that may be written. */
  readonly maxDepth: number
  readonly signal: AbortSignal
  /** Ends writes instead, once they have begun: whoever goes away must not leave half of one behind. */
  readonly writeSignal?: AbortSignal | undefined
}

/** Without one, the last writer wins. */
export type WriteCondition = Pick<PutOptions, 'ifMatch' | 'ifNoneMatch'>

/** How a stream is to be stored. */
export interface PutStreamInput extends WriteCondition {
  /** As the sender announced it; a stream of unknown length is held in memory. */
  readonly bytes?: number | undefined
  readonly maxBytes: number
}

/** A file as it is stored now. */
export interface WrittenFile {
  readonly path: VirtualPath
  readonly bytes: number
  readonly etag: string
  /** Of the write that made it what it is. */
  readonly writeId: string
}

/** The store failed while it was changing something: that may be done, or still happen. */
export class UnclearWrite extends AppError {}

/** Everything throws `storage_unavailable` when the store fails or the time is over. */
export class CallerFiles {
  readonly area: Area
  readonly #storage: VersionedStorage
  readonly #paths: PathRules
  readonly #maxDepth: number
  readonly #signal: AbortSignal
  readonly #writeSignal: AbortSignal

  constructor(options: CallerFilesOptions) {
    this.area = options.area
    this.#storage = withTombstones(options.storage)
    this.#paths = options.paths
    this.#maxDepth = options.maxDepth
    this.#signal = options.signal
    this.#writeSignal = options.writeSignal ?? options.signal
  }

  /** The same files for changes of several steps, which end with their time and not with their caller. */
  forChanges(): CallerFiles {
    return this.#until(this.#writeSignal)
  }

  /** The same files for what has to be put in order, although the time may be over. */
  forRepair(): CallerFiles {
    return this.#until(AbortSignal.timeout(STORING_GRACE_MS))
  }

  /** @throws {InvalidPath} */
  parsePath(raw: string): VirtualPath {
    return parsePath(raw, this.#paths)
  }

  /** @throws {InvalidPath} */
  parseFolder(raw: string | undefined): FolderPath {
    return parseFolder(raw, this.#paths)
  }

  /** Reads the path of what may be a file or a folder; unlike a folder's, it has to be written. @throws {InvalidPath} */
  parseAny(raw: string): FolderPath {
    return raw === '' ? this.parsePath(raw) : this.parseFolder(raw)
  }

  /** Whether a listed path can be asked for as it is. */
  canSpell(path: string): boolean {
    return isSpellable(path, this.#paths)
  }

  /** What lies below a folder has keys that start with this. */
  prefixOf(folder: FolderPath): string {
    return folder === '' ? this.area.keyFor('') : `${this.area.keyFor(folder)}/`
  }

  head(path: VirtualPath): Promise<ObjectInfo | null> {
    return this.#ask((signal) => this.#storage.head(this.area.keyFor(path), { signal }))
  }

  get(path: VirtualPath, range?: GetOptions['range']): Promise<StoredObject | null> {
    const options = range ? { range } : {}
    return this.#ask((signal) => this.#storage.get(this.area.keyFor(path), { ...options, signal }))
  }

  /** A whole file; one that has more bytes is refused before they come. @throws {AppError} what `tooLarge` gives. */
  getWhole(
    path: VirtualPath,
    maxBytes: number,
    tooLarge: (bytes: number) => AppError,
    hold?: RequestContext['hold'],
  ): Promise<StoredObject | null> {
    return this.#ask(async (signal) => {
      const file = await this.#storage.getStream(this.area.keyFor(path), { signal })
      if (!file) return null
      if (file.bytes > maxBytes) {
        await file.body.cancel()
        throw tooLarge(file.bytes)
      }
      await hold?.(file.bytes)
      return { ...file, body: await readAll(file.body, file.bytes, signal) }
    })
  }

  /** The time ends the request, not the body. */
  getStream(path: VirtualPath, range?: GetOptions['range']): Promise<StreamedObject | null> {
    const options = range ? { range } : {}
    return this.#ask((signal) =>
      this.#storage.getStream(this.area.keyFor(path), { ...options, signal }),
    )
  }

  /** @throws {AppError} `conflict` when the condition is not met or the name cannot be a file. */
  async put(
    path: VirtualPath,
    body: ObjectBody,
    condition: WriteCondition = {},
  ): Promise<WrittenFile> {
    // Where there is a file already, there is room for one.
    if (condition.ifMatch === undefined) await this.assertWritable(path)
    return this.#write(path, byteLengthOf(body), condition, (options) =>
      this.#storage.put(this.area.keyFor(path), body, options),
    )
  }

  /** @throws {AppError} as {@link put}; `too_large` and `malformed` for a body that is not as it should be. */
  async putStream(
    path: VirtualPath,
    stream: ReadableStream<Uint8Array>,
    { bytes, maxBytes, ...condition }: PutStreamInput,
  ): Promise<WrittenFile> {
    const received = receiveBody(stream, { bytes, maxBytes })
    if (bytes === undefined) return this.put(path, await received.collect(), condition)
    if (condition.ifMatch === undefined) await this.assertWritable(path)
    return this.#write(path, bytes, condition, async (options) => {
      const key = this.area.keyFor(path)
      try {
        return await this.#storage.putStream(key, received.stream(), { ...options, bytes })
      } catch (error) {
        throw received.fault ?? error
      }
    })
  }

  /** An empty folder that stays: an object whose name ends in a slash. */
  async makeFolder(path: VirtualPath): Promise<void> {
    this.#assertDepth(path)
    const metadata = markWrite(newWriteId())
    const put = (signal: AbortSignal) =>
      this.#storage.put(this.prefixOf(path), new Uint8Array(), { metadata, signal })
    await this.#change(put)
  }

  /** A file, or nothing. */
  async remove(path: VirtualPath): Promise<void> {
    await this.#change((signal) => this.#storage.delete(this.area.keyFor(path), { signal }))
  }

  /** Only the version with this etag; `false` when another is there. */
  async removeVersion(path: VirtualPath, etag: string): Promise<boolean> {
    return this.#change((signal) =>
      this.#storage.deleteIf(this.area.keyFor(path), etag, { signal }),
    )
  }

  /** The mark of an empty folder, or nothing. */
  async removeMark(folder: VirtualPath): Promise<void> {
    await this.#change((signal) => this.#storage.delete(this.prefixOf(folder), { signal }))
  }

  /** `null` for what does not exist. The shared folder always does, like the root. */
  async typeOf(path: FolderPath): Promise<FileEntry['type'] | null> {
    if (path === '' || path === this.area.sharedDir) return 'folder'
    const [info, isFolder] = await Promise.all([this.head(path), this.holdsAny(path)])
    if (info) return 'file'
    return isFolder ? 'folder' : null
  }

  /** As {@link typeOf}, of what a caller wrote: with a slash at its end it only ever means a folder. */
  async typeAt(raw: string): Promise<FileEntry['type'] | null> {
    const path = this.parseAny(raw)
    if (!namesFolder(raw) || path === '' || path === this.area.sharedDir) return this.typeOf(path)
    return (await this.holdsAny(path)) ? 'folder' : null
  }

  /**
   * A name cannot be file and folder at once, whoever made it what it is.
   *
   * @throws {InvalidPath} for one that is too deep.
   * @throws {AppError} `conflict` for a folder, and for what would lie below a file.
   */
  async assertWritable(path: VirtualPath): Promise<void> {
    this.#assertDepth(path)
    await Promise.all([this.#assertNoFolder(path), this.assertNoFileAbove(path)])
  }

  /** @throws {AppError} always: `conflict` where a folder has the name of the file asked for, else `not_found`. */
  async refuseMissing(path: VirtualPath): Promise<never> {
    if ((await this.typeOf(path)) === 'folder') {
      throw new AppError('conflict', `${quoted(path)} is a folder, not a file. List it instead.`)
    }
    const message = `There is no file ${quoted(path)}. Check the name, or list the folder it should be in.`
    throw new AppError('not_found', message)
  }

  /** Whether there is anything below a folder, its own mark included. */
  holdsAny(folder: FolderPath): Promise<boolean> {
    return this.#ask(async (signal) => {
      const options = { limit: 1, signal }
      for await (const entry of this.#storage.list(this.prefixOf(folder), options)) {
        return entry !== undefined
      }
      return false
    })
  }

  /** In the order of keys; nothing where there is no such folder. */
  async *list(folder: FolderPath, options: ListAreaOptions = {}): AsyncGenerator<FileEntry> {
    try {
      yield* listArea(
        { files: this, storage: this.#storage, signal: this.#signal },
        folder,
        options,
      )
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  async #write(
    path: VirtualPath,
    bytes: number,
    condition: WriteCondition,
    put: (options: PutOptions) => Promise<{ readonly etag: string }>,
  ): Promise<WrittenFile> {
    const writeId = newWriteId()
    const signal = this.#writeSignal
    const told = { contentType: contentTypeOf(path), metadata: markWrite(writeId), signal }
    try {
      const { etag } = await untilAborted(signal, () => put({ ...condition, ...told }))
      return { path, bytes, etag, writeId }
    } catch (error) {
      if (error instanceof AppError) throw error
      // A failure may come after the write got through: the mark in the store tells.
      const current = await this.forRepair()
        .head(path)
        .catch(() => undefined)
      if (current && holdsWrite(current, writeId)) {
        // Nobody waited until the tombstone it was put over is deleted for certain.
        if (pendingTombstone(current, TOMBSTONE_MS) !== null) throw this.#unclear(error)
        return { path, bytes, etag: current.etag, writeId }
      }
      // A second try of a write that got through meets its own file: who cannot look, cannot tell.
      throw error instanceof PreconditionFailed && current !== undefined
        ? conflictOf(path, condition, error)
        : this.#unclear(error)
    }
  }

  async #assertNoFolder(path: VirtualPath): Promise<void> {
    if (path === this.area.sharedDir || (await this.holdsAny(path))) {
      throw new AppError(
        'conflict',
        `${quoted(path)} is a folder. Choose another name for the file.`,
      )
    }
  }

  /** @throws {AppError} `conflict` when one of the folders the path lies in is a file. */
  async assertNoFileAbove(path: VirtualPath): Promise<void> {
    const above = foldersAbove(path).filter((folder) => folder !== this.area.sharedDir)
    const heads = await Promise.all(above.map((folder) => this.head(folder)))
    const at = heads.findIndex((info) => info !== null)
    if (at === -1) return
    const message = `${quoted(above[at]!)} is a file, so nothing can be put below it. Choose another path.`
    throw new AppError('conflict', message)
  }

  #assertDepth(path: VirtualPath): void {
    if (path.split('/').length <= this.#maxDepth) return
    throw new InvalidPath(`path is not valid: more than ${this.#maxDepth} levels deep`)
  }

  async #ask<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await untilAborted(this.#signal, () => request(this.#signal))
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  async #change<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#writeSignal
    try {
      return await untilAborted(signal, () => request(signal))
    } catch (error) {
      throw this.#unclear(error)
    }
  }

  #until(signal: AbortSignal): CallerFiles {
    const { area } = this
    return new CallerFiles({
      area,
      storage: this.#storage,
      paths: this.#paths,
      maxDepth: this.#maxDepth,
      signal,
    })
  }

  #unavailable(cause: unknown): AppError {
    if (cause instanceof AppError) return cause
    return new AppError('storage_unavailable', reasonOf(this.#signal), { cause })
  }

  #unclear(cause: unknown): UnclearWrite {
    return new UnclearWrite('storage_unavailable', reasonOf(this.#writeSignal), { cause })
  }
}

function reasonOf({ aborted }: AbortSignal): string {
  return aborted
    ? 'This took longer than a request may take. Try again, or ask for less at once.'
    : 'The store cannot be reached right now. Try again shortly.'
}

/** The files of whoever sent a request; everything has to be over when a run would have to be. */
export async function openCallerFiles(ctx: RequestContext): Promise<CallerFiles> {
  const { caller, service } = ctx
  const { config, storage } = service
  const timeout = AbortSignal.timeout(config.limits.runMs)
  return new CallerFiles({
    storage,
    area: await openArea(areaOwner(caller), areaLayout(config)),
    paths: pathRules(config, caller),
    maxDepth: config.maxDepth,
    signal: ctx.signal ? AbortSignal.any([timeout, ctx.signal]) : timeout,
    writeSignal: timeout,
  })
}

/** Whether a path is written as folders are, with a slash at its end. */
export function namesFolder(raw: string): boolean {
  return /(?:^|\/)\.?$/.test(raw)
}

/** A path as sentences show it. */
export function quoted(path: string): string {
  return JSON.stringify(path === '' ? '.' : path)
}

function conflictOf(path: VirtualPath, { ifMatch }: WriteCondition, cause: unknown): AppError {
  const message =
    ifMatch === undefined
      ? `${quoted(path)} already exists. Allow overwriting it, or choose another name.`
      : `${quoted(path)} was changed meanwhile. Read it again and repeat the change.`
  return new AppError('conflict', message, { cause })
}
