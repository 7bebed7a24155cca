/** One caller's files for operations that run no script: by path, until their time is over. */
import { AppError, InvalidPath } from '../errors.ts'
import { AreaStore, type FileChangeRequest } from '../files/area-store.ts'
import { openArea, type Area } from '../files/area.ts'
import type { FileEntry } from '../files/list-area.ts'
import {
  foldersAbove,
  parseFolder,
  parsePath,
  type FolderPath,
  type PathRules,
  type VirtualPath,
} from '../files/path.ts'
import { MayBeStored, type WriteCondition, type WrittenFile } from '../files/tracked-write.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import type { ObjectBody, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { areaOwner } from './area-owner.ts'
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

/** How a stream is to be stored. */
export interface PutStreamInput extends WriteCondition {
  /** As the sender announced it; a stream of unknown length is held in memory. */
  readonly bytes?: number | undefined
  readonly maxBytes: number
}

/** The store failed while it was changing something: that may be done, or still happen. */
export class UnclearWrite extends AppError {}

/** Everything throws `storage_unavailable` when the store fails or the time is over. */
export class CallerFiles extends AreaStore {
  override readonly area: Area
  readonly #options: CallerFilesOptions

  constructor(options: CallerFilesOptions) {
    const { storage, area, signal, writeSignal = signal } = options
    super({
      storage,
      area,
      ending: { signal },
      changeEnding: { signal: writeSignal },
      errorOf: (cause, change) => failureOf(cause, change ? writeSignal : signal, change),
    })
    this.area = area
    this.#options = options
  }

  /** The same files for changes of several steps, which end with their time and not with their caller. */
  forChanges(): CallerFiles {
    return this.#until(this.#options.writeSignal ?? this.#options.signal)
  }

  /** The same files for what has to be put in order, although the time may be over. */
  forRepair(): CallerFiles {
    return this.#until(AbortSignal.timeout(STORING_GRACE_MS))
  }

  /** @throws {InvalidPath} */
  parsePath(raw: string): VirtualPath {
    return parsePath(raw, this.#options.paths)
  }

  /** @throws {InvalidPath} */
  parseFolder(raw: string | undefined): FolderPath {
    return parseFolder(raw, this.#options.paths)
  }

  /** Reads the path of what may be a file or a folder; unlike a folder's, it has to be written. @throws {InvalidPath} */
  parseAny(raw: string): FolderPath {
    return raw === '' ? this.parsePath(raw) : this.parseFolder(raw)
  }

  /** Whether a listed name leads back to itself: other programs may have stored some that no path can spell. */
  canSpell(path: string): boolean {
    try {
      return this.parsePath(path) === path
    } catch {
      return false
    }
  }

  /** @throws {AppError} `conflict` when the condition is not met or the name cannot be a file. */
  override async put(
    path: VirtualPath,
    body: ObjectBody,
    condition: WriteCondition = {},
  ): Promise<WrittenFile> {
    await this.#assertRoomFor(path, condition)
    return super.put(path, body, condition)
  }

  /** @throws {AppError} as {@link put}; `too_large` and `malformed` for a body that is not as it should be. */
  async putStream(
    path: VirtualPath,
    stream: ReadableStream<Uint8Array>,
    { bytes, maxBytes, ...condition }: PutStreamInput,
  ): Promise<WrittenFile> {
    const received = receiveBody(stream, { bytes, maxBytes })
    if (bytes === undefined) return this.put(path, await received.collect(), condition)
    await this.#assertRoomFor(path, condition)
    return this.upload(path, received, { ...condition, bytes })
  }

  /** An empty folder that stays. */
  async makeFolder(path: VirtualPath): Promise<void> {
    this.#assertDepth(path)
    await this.putMarker(path)
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

  /** Where there is a file already, there is room for one. */
  async #assertRoomFor(path: VirtualPath, { ifMatch }: WriteCondition): Promise<void> {
    if (ifMatch === undefined) await this.assertWritable(path)
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
    const { maxDepth } = this.#options
    if (path.split('/').length <= maxDepth) return
    throw new InvalidPath(`path is not valid: more than ${maxDepth} levels deep`)
  }

  #until(signal: AbortSignal): CallerFiles {
    return new CallerFiles({ ...this.#options, signal, writeSignal: signal })
  }
}

function failureOf(
  cause: unknown,
  { aborted }: AbortSignal,
  change: FileChangeRequest | undefined,
): AppError {
  if (cause instanceof AppError) return cause
  if (change && cause instanceof PreconditionFailed) return conflictOf(change, cause)
  const message = aborted
    ? 'This took longer than a request may take. Try again, or ask for less at once.'
    : 'The store cannot be reached right now. Try again shortly.'
  if (!change) return new AppError('storage_unavailable', message, { cause })
  const reason = cause instanceof MayBeStored ? cause.cause : cause
  return new UnclearWrite('storage_unavailable', message, { cause: reason })
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

function conflictOf({ path, condition }: FileChangeRequest, cause: unknown): AppError {
  const message =
    condition.ifMatch === undefined
      ? `${quoted(path)} already exists. Allow overwriting it, or choose another name.`
      : `${quoted(path)} was changed meanwhile. Read it again and repeat the change.`
  return new AppError('conflict', message, { cause })
}
