/** File access for operations that run no script, within a time limit. */
import { AppError, InvalidPath, type ErrorCode } from '../errors.ts'
import type { OpenMeter } from '../files/run/run-state.ts'
import {
  AreaStore,
  type FileChangeRequest,
  type FilePutOptions,
} from '../files/store/area-store.ts'
import { openArea, type Area } from '../files/store/area.ts'
import type { FileEntry } from '../files/store/list-area.ts'
import {
  foldersAbove,
  parseFolder,
  parsePath,
  type FolderPath,
  type PathRules,
  type VirtualPath,
} from '../files/path.ts'
import { MayBeStored, type WriteCondition, type WrittenFile } from '../files/store/tracked-write.ts'
import { droppedPath } from '../files/dropped-name.ts'
import { anySignal, untilAborted } from '../lib/abort.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { isFolderAddress } from '../links/file-link.ts'
import { PreconditionFailed, type ObjectBody, type StorageDriver } from '../storage/driver.ts'
import { areaLayout, areaOwner, pathRules, type RequestContext } from './service.ts'
import { receiveBody } from './receive-body.ts'
import { meterOpener } from './usage/open-usage.ts'

export interface CallerFilesOptions {
  readonly storage: StorageDriver
  readonly area: Area
  readonly paths: PathRules
  /** Maximum number of segments in a path that is written. */
  readonly maxDepth: number
  readonly signal: AbortSignal
  /** For writes once begun: a client that disconnects must not leave a partial one. */
  readonly writeSignal?: AbortSignal | undefined
  /** Limits what is stored; absent if it is not limited. */
  readonly openMeter?: OpenMeter | undefined
}

export interface PutStreamInput extends WriteCondition {
  /** As announced; a stream of unknown length is buffered in memory. */
  readonly bytes?: number | undefined
  readonly maxBytes: number
}

interface KnownRoom {
  /** Whether the path is known to be neither a folder nor below a file. */
  readonly hasRoom?: boolean | undefined
}

/** The store failed during a change, which may be done, in part too, or still happen. */
export class UnclearWrite extends AppError {
  /** Of a put: `false` if it was looked for afterwards, and was not there. */
  readonly mayBeStored: boolean

  constructor(message: string, cause: unknown, code: ErrorCode = 'storage_unavailable') {
    const isUnknown = cause instanceof MayBeStored
    super(code, message, { cause: isUnknown ? cause.cause : cause })
    this.mayBeStored = isUnknown
  }
}

/** Every method throws `storage_unavailable` if the store fails or the time is up. */
export class CallerFiles extends AreaStore {
  override readonly area: Area
  readonly #options: CallerFilesOptions

  constructor(options: CallerFilesOptions) {
    const { storage, area, signal, writeSignal = signal, openMeter } = options
    super({
      storage,
      area,
      meter: openMeter?.({ ending: { signal: writeSignal } }),
      ending: { signal },
      changeEnding: { signal: writeSignal },
      errorOf: (cause, change) => failureOf(cause, change ? writeSignal : signal, change),
    })
    this.area = area
    this.#options = options
  }

  /** For changes in several steps, which a client that disconnects must not interrupt. */
  forChanges(): CallerFiles {
    return this.#until(this.#options.writeSignal ?? this.#options.signal)
  }

  /** For rolling back changes, even after the time limit and beyond the quota. */
  forRepair(): CallerFiles {
    const { openMeter } = this.#options
    return this.#until(
      AbortSignal.timeout(STORING_GRACE_MS),
      openMeter && ((requests) => openMeter(requests).unlimited()),
    )
  }

  /** @throws {InvalidPath} */
  parsePath(raw: string): VirtualPath {
    return parsePath(raw, this.#options.paths)
  }

  /** @throws {InvalidPath} */
  parseFolder(raw: string | undefined): FolderPath {
    return parseFolder(raw, this.#options.paths)
  }

  /**
   * For a file or folder; unlike {@link parseFolder}, refuses an empty path.
   *
   * @throws {InvalidPath}
   */
  parseAny(raw: string): FolderPath {
    return raw === '' ? this.parsePath(raw) : this.parseFolder(raw)
  }

  /** Whether a listed name is a valid path: other programs may have stored keys that are not. */
  canSpell(path: string): boolean {
    try {
      return this.parsePath(path) === path
    } catch {
      return false
    }
  }

  /** @throws {AppError} `conflict` if the condition is not met or the path cannot be a file. */
  override async put(
    path: VirtualPath,
    body: ObjectBody,
    { hasRoom, ...options }: FilePutOptions & KnownRoom = {},
  ): Promise<WrittenFile> {
    if (!hasRoom) await this.#assertRoomFor(path, options)
    return super.put(path, body, options)
  }

  /** @throws {AppError} as {@link put}; `too_large` or `malformed` for a body of the wrong size. */
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

  /** Reads a body piece by piece, within the time limit; leaving the loop cancels it. */
  async *pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { signal } = this.#options
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await untilAborted(signal, () => reader.read())
        if (done) return
        yield value
      }
    } catch (cause) {
      throw failureOf(cause, signal, undefined)
    } finally {
      reader.cancel().catch(() => undefined)
    }
  }

  /** Stores a marker, so that the folder exists while empty. */
  async makeFolder(path: VirtualPath): Promise<void> {
    this.assertDepth(path)
    await this.putMarker(path)
  }

  /** `null` if nothing exists. The root and the shared folder always exist. */
  async typeOf(path: FolderPath): Promise<FileEntry['type'] | null> {
    if (path === '' || path === this.area.sharedDir) return 'folder'
    const [info, isFolder] = await Promise.all([this.head(path), this.holdsAny(path)])
    if (info) return 'file'
    return isFolder ? 'folder' : null
  }

  /** As {@link typeOf}, for a raw path: with a trailing slash, only a folder counts. */
  async typeAt(raw: string): Promise<FileEntry['type'] | null> {
    const path = this.parseAny(raw)
    if (!isFolderAddress(raw) || path === '' || path === this.area.sharedDir)
      return this.typeOf(path)
    return (await this.holdsAny(path)) ? 'folder' : null
  }

  /**
   * A path cannot be both a file and a folder.
   *
   * @throws {InvalidPath} if it is too deep.
   * @throws {AppError} `conflict` for a folder, or for a path below a file.
   */
  async assertWritable(path: VirtualPath): Promise<void> {
    this.assertDepth(path)
    await Promise.all([this.#assertNoFolder(path), this.assertNoFileAbove(path)])
  }

  /** Whether files can be put into a folder. @throws as {@link assertWritable}. */
  async assertCanHold(folder: FolderPath): Promise<void> {
    const file = droppedPath(folder, 'file', 1, this.#options.paths)
    this.assertDepth(file)
    await this.assertNoFileAbove(file)
  }

  /** @throws {AppError} always: `conflict` for a folder, else `not_found`. */
  async refuseMissing(path: VirtualPath): Promise<never> {
    if ((await this.typeOf(path)) === 'folder') {
      throw new AppError('conflict', `${quoted(path)} is a folder, not a file. List it instead.`)
    }
    const message = `There is no file ${quoted(path)}. Check the name, or list the folder it should be in.`
    throw new AppError('not_found', message)
  }

  /** `ifMatch` requires an existing file, so its path is fine. */
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

  /** @throws {AppError} `conflict` if an ancestor is a file. */
  async assertNoFileAbove(path: VirtualPath): Promise<void> {
    const above = foldersAbove(path).filter((folder) => folder !== this.area.sharedDir)
    const heads = await Promise.all(above.map((folder) => this.head(folder)))
    const at = heads.findIndex((info) => info !== null)
    if (at === -1) return
    const message = `${quoted(above[at]!)} is a file, so nothing can be put below it. Choose another path.`
    throw new AppError('conflict', message)
  }

  /** @throws {InvalidPath} for a path that is too deep or too long to be written. */
  assertDepth(path: VirtualPath): void {
    const { maxDepth } = this.#options
    this.parsePath(path)
    if (path.split('/').length <= maxDepth) return
    throw new InvalidPath(`path is not valid: more than ${maxDepth} levels deep`)
  }

  #until(signal: AbortSignal, openMeter = this.#options.openMeter): CallerFiles {
    return new CallerFiles({ ...this.#options, signal, writeSignal: signal, openMeter })
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
  return new UnclearWrite(message, cause)
}

/** Has the same time limit as a run. */
export async function openCallerFiles(ctx: RequestContext): Promise<CallerFiles> {
  const { caller, service } = ctx
  const { config, storage } = service
  const { runMs } = config.limits
  const timeout = AbortSignal.timeout(runMs)
  return new CallerFiles({
    storage,
    openMeter: await meterOpener(service, caller, () => runMs + STORING_GRACE_MS, true),
    area: await openArea(areaOwner(caller), areaLayout(config)),
    paths: pathRules(config, caller),
    maxDepth: config.maxDepth,
    signal: anySignal(timeout, ctx.signal),
    writeSignal: timeout,
  })
}

/** For messages. */
export function quoted(path: string): string {
  return JSON.stringify(path === '' ? '.' : path)
}

/** For a change whose condition is not met. */
export function conflictOf({ path, condition }: FileChangeRequest, cause?: unknown): AppError {
  const message =
    condition.ifMatch === undefined
      ? `${quoted(path)} already exists. Allow overwriting it, or choose another name.`
      : `${quoted(path)} was changed meanwhile. Read it again and repeat the change.`
  return new AppError('conflict', message, { cause })
}
