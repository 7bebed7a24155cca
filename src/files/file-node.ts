/** A file apart from its name: what the handles on it share, and what outlives its removal. */
import type { StoredObject } from '../storage/driver.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import type { ByteRange } from './area-store.ts'
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileError } from './file-error.ts'
import type { VirtualPath } from './path.ts'
import { RangeReader } from './range-reader.ts'
import type { StoredVersion, WrittenFile } from './tracked-write.ts'
import { holdsOneOf, lastWriteOf } from './write-id.ts'

/** Fetches a stored file, or a range of it. */
export type GetObject = (path: VirtualPath, range?: ByteRange) => Promise<StoredObject | null>

/** The stored object the content is built on. */
export interface FileBase extends Omit<StoredVersion, 'etag'> {
  /** `null` when others changed the object after this run stored it: its bytes here are out of date. */
  readonly etag: string | null
}

/** What the store does not have yet: nothing, bytes at the end, or anything else. */
export type FileChange = 'none' | 'append' | 'write'

/** The content at one moment, to be stored while the file goes on changing. */
export interface Revision {
  /** The ids of all puts that carried it, one for each try: they tell whether one got through. */
  readonly putIds: Set<string>
  readonly change: 'append' | 'write'
  readonly base: FileBase | null
  /** The part that came from the store; absent when it is still only there. */
  readonly baseChunks: readonly Uint8Array[] | null
  readonly appendedChunks: readonly Uint8Array[]
}

/** Content over a stored base whose bytes are fetched when first needed: until then they are a hole. */
export class FileNode {
  /** The name it has now; `null` once removed. */
  path: VirtualPath | null
  /** How many handles are open on it. */
  handles = 0
  /** Somebody else changed the object that this run edited in place. */
  isInConflict = false
  /** The store did not tell whether it took what it was last sent. */
  isUnclear = false
  /** Its writer broke off: the store keeps what it has. */
  isAbandoned = false
  readonly #budget: FileBudget
  #base: FileBase | null
  #change: FileChange
  #op: 'append' | 'write'
  #isOwn: boolean
  #content: FileBytes
  #missingBytes: number
  #loading: Promise<void> | undefined
  /** Of a base that does not fit into memory. */
  #reader: RangeReader | undefined
  /** On its way to the store, or refused by it and to be tried again. */
  #revision: Revision | undefined
  /** Where the revision ends in the content: loading may move it. */
  #revisionEnd = 0
  /** Its bytes are read until the upload ends, whatever becomes of the file. */
  #uploading: Revision | undefined
  #isContentShared = false
  /** What a revision holds that is not the content's memory any more. */
  #detachedBytes = 0
  #objectBytes: number | undefined
  #edits = 0

  /** @param base `null` for a file that begins empty, whatever the store holds under its name. */
  constructor(path: VirtualPath, budget: FileBudget, base: FileBase | null, change: FileChange) {
    this.path = path
    this.#budget = budget
    this.#base = base
    this.#change = change
    this.#op = base ? 'append' : 'write'
    this.#isOwn = base === null
    this.#missingBytes = base?.bytes ?? 0
    this.#content = new FileBytes(this.#missingBytes)
  }

  /** How a touched file is reported: `append` when it existed before and nothing else happened to it. */
  get op(): 'append' | 'write' {
    return this.#op
  }

  get size(): number {
    return this.#content.size
  }

  /** The size of the stored object where that is known: others may have appended to it too. */
  get objectBytes(): number {
    return this.#objectBytes ?? this.size
  }

  set objectBytes(bytes: number) {
    this.#objectBytes = bytes
  }

  /** The stored object the content is built on, if any. */
  get base(): FileBase | null {
    return this.#base
  }

  /** How often anything but its end was changed. */
  get edits(): number {
    return this.#edits
  }

  /** Something but its end was changed and is not stored yet. */
  get isEdited(): boolean {
    return this.#change === 'write' || this.#revision?.change === 'write'
  }

  /** Bytes at the start that are still only in the store. */
  get missingBytes(): number {
    return this.#missingBytes
  }

  /** The store does not hold what the file holds now. */
  get isChanged(): boolean {
    return this.#change !== 'none' || this.#revision !== undefined
  }

  /** Resident although nobody has it open and the store could give it again. */
  get isIdle(): boolean {
    return this.handles === 0 && !this.isChanged && this.#missingBytes < this.size
  }

  /** While its bytes are on their way here; nothing may be stored then. */
  get loading(): Promise<void> | undefined {
    return this.#loading
  }

  /** Nobody else's content is in it, and none that was ever under another name. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  /** The write that stored it, once that is done and if all of the content is this run's own. */
  get ownWriteId(): string | undefined {
    if (!this.#isOwn || this.isChanged || !this.#base) return undefined
    return lastWriteOf(this.#base)
  }

  /** Makes every byte resident; `undefined` when they are. Rejects with EFBIG, or EIO if the object is gone. */
  load(get: GetObject): undefined | Promise<void> {
    if (this.#missingBytes === 0 || this.#base === null) return undefined
    this.#loading ??= this.#fetch(this.#base, get).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Makes the byte at an offset readable, and if memory allows it all others too. Rejects as {@link load}. */
  loadAt(at: number, get: GetObject): undefined | Promise<void> {
    if (at >= this.#missingBytes) return undefined
    if (this.#reader) return this.#reader.prepare(at)
    return this.load(get)?.catch((error: unknown) => {
      const isTooLarge = error instanceof FileError && error.code === 'EFBIG'
      if (!isTooLarge || !this.#base?.etag) throw error
      return this.#startReading(this.#base, this.#base.etag, get).prepare(at)
    })
  }

  /** Fewer bytes than asked for do not mean the end, if there is more in the store. */
  read(at: number, into: Uint8Array): number {
    if (at >= this.#missingBytes) return this.#content.read(at, into)
    if (!this.#reader) throw new Error('read before load')
    return this.#reader.read(at, into)
  }

  /** So many bytes at the start, as views that the next write may change; `null` while not all of them are here. */
  firstBytes(count: number): readonly Uint8Array[] | null {
    return this.#missingBytes > 0 ? null : this.#content.chunks(0, count)
  }

  /** Gives back what only reading needed, for when nobody reads any more. */
  stopReading(): void {
    this.#reader?.release()
    this.#reader = undefined
  }

  /**
   * Gives the offset behind what was written.
   *
   * @throws {FileError} EFBIG, having written nothing; holes count, because a file is stored whole.
   */
  write(at: number, bytes: Uint8Array): number {
    if (this.#missingBytes > 0) throw new Error('write before load')
    if (this.#isContentShared) this.#detach()
    this.#put(at, bytes)
    this.#change = 'write'
    this.#op = 'write'
    this.#edits++
    return at + bytes.length
  }

  /**
   * Takes over what makes up an empty file, without copying it: see {@link FileBytes.ofChunks}.
   *
   * @throws {FileError} EFBIG, having taken nothing.
   */
  fill(chunks: readonly Uint8Array[]): void {
    const content = FileBytes.ofChunks(chunks)
    if (this.size > 0) throw new Error('fill of a file that is not empty')
    this.#budget.take(content.size)
    this.#replaceContent(content, 0)
    this.#change = 'write'
    this.#op = 'write'
  }

  /** Needs no load: the base stays in the store until the file is stored. Throws as {@link write}. */
  append(bytes: Uint8Array): number {
    this.#put(this.size, bytes)
    if (this.#change === 'none') this.#change = 'append'
    return this.size
  }

  /** Empties the file for every handle, frees its memory and forgets its base. */
  truncate(): void {
    const isRead = this.#isContentShared && this.#uploading !== undefined
    const stillRead = isRead ? residentBytes(this.#uploading!) : 0
    this.#detachedBytes += stillRead
    this.#budget.give(this.size - this.#missingBytes - stillRead)
    this.#replaceContent(new FileBytes(), 0)
    this.forgetBase()
    this.#isOwn = true
    this.#edits++
  }

  /** Storing it then replaces whatever is there. Loaded files only. */
  forgetBase(): void {
    this.#base = null
    this.#change = 'write'
    this.#op = 'write'
    this.#isOwn = false
    this.#revision = undefined
    this.#objectBytes = undefined
    this.isInConflict = false
    this.isUnclear = false
    if (!this.#uploading) this.#giveDetached()
  }

  /**
   * Undoes {@link forgetBase}: it goes on from the stored object, and storing it keeps what others did to that.
   *
   * @param isIntact Whether the content still begins with that of the object.
   */
  restoreBase(base: FileBase, isIntact: boolean): void {
    this.#base = base
    if (isIntact) this.#change = this.size > base.bytes ? 'append' : 'none'
  }

  /** Frees what the store could give again. Idle files only. */
  unload(): void {
    this.#budget.give(this.size - this.#missingBytes)
    this.#replaceContent(new FileBytes(this.size), this.size)
  }

  /** For when nobody will look at the content again. */
  release(): void {
    this.#content.release()
  }

  /** What is to be stored next: first of all what the store refused before. `null` when it has everything. */
  startStoring(): Revision | null {
    if (this.#revision) return (this.#uploading = this.#revision)
    if (this.#change === 'none') return null
    const baseBytes = this.#base?.bytes ?? 0
    this.#revision = {
      putIds: new Set(),
      change: this.#change,
      base: this.#base,
      baseChunks: this.#missingBytes > 0 ? null : this.#content.chunks(0, baseBytes),
      appendedChunks: this.#content.chunks(baseBytes),
    }
    this.#revisionEnd = this.size
    this.#change = 'none'
    this.#isContentShared = true
    return (this.#uploading = this.#revision)
  }

  /**
   * Told when the store took a revision, and what it has then; older news count for nothing. What is exact holds
   * what was here and nothing else.
   */
  stored(revision: Revision, { isExact, ...object }: WrittenFile): void {
    if (this.#revision !== revision) return
    this.#revision = undefined
    this.isInConflict = false
    this.isUnclear = false
    if (!isExact) this.#isOwn = false
    this.stopReading()
    if (this.#change === 'none') this.#objectBytes = object.bytes
    if (isExact && this.#missingBytes === 0) this.#base = object
    else if (this.handles === 0 && this.#change !== 'write') this.#leaveToStore(object)
    else this.#base = { ...object, etag: null, bytes: this.#revisionEnd }
  }

  /** Told when nobody reads a revision's bytes any more; one that failed is kept, to be tried again. */
  endStoring(revision: Revision): void {
    this.#uploading = undefined
    if (this.#revision === revision) return
    this.#giveDetached()
    this.#isContentShared = false
  }

  /** Others wrote to it too, or its start was never here: what the store holds is the truth from now on. */
  #leaveToStore(object: FileBase): void {
    const content = new FileBytes(object.bytes)
    for (const chunk of this.#content.chunks(this.#revisionEnd)) content.write(content.size, chunk)
    this.#budget.give(this.#revisionEnd - this.#missingBytes)
    this.#replaceContent(content, object.bytes)
    this.#base = object
  }

  /** Gives the content memory of its own, so that it may change while the revision must not. */
  #detach(): void {
    const bytes = this.#revision ? residentBytes(this.#revision) : 0
    this.#budget.take(bytes)
    this.#detachedBytes += bytes
    this.#content = this.#content.copy()
    this.#isContentShared = false
  }

  #giveDetached(): void {
    this.#budget.give(this.#detachedBytes)
    this.#detachedBytes = 0
  }

  #startReading({ path, bytes }: FileBase, etag: string, get: GetObject): RangeReader {
    const getRange = (offset: number, length: number) => get(path, { offset, length })
    this.#reader = new RangeReader({ bytes, etag }, this.#budget, getRange)
    return this.#reader
  }

  async #fetch(base: FileBase, get: GetObject): Promise<void> {
    const object = await this.#reserving(base.bytes, () => get(base.path))
    const isOutdated = this.#base !== base
    if (isOutdated) return
    if (object === null) throw new FileError('EIO')

    // A try that seemed to fail may have got through: then its bytes are in the object already.
    const isRevisionIn = this.#revision && holdsOneOf(object, this.#revision.putIds)
    const heldBytes = isRevisionIn ? this.#revisionEnd : base.bytes
    if (isRevisionIn) this.#revision = undefined

    const { etag, body, metadata } = object
    this.#budget.take(body.length)
    const loaded = FileBytes.of(body)
    for (const chunk of this.#content.chunks(heldBytes)) loaded.write(loaded.size, chunk)
    this.#budget.give(heldBytes - this.#missingBytes)
    this.#replaceContent(loaded, 0)
    this.#revisionEnd += body.length - heldBytes
    this.#base = { path: base.path, etag, bytes: body.length, metadata }
  }

  /** Keeps two loads at once from each finding room that only one of them can have. */
  async #reserving<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.#budget.takeLater(bytes)
    try {
      return await work()
    } finally {
      this.#budget.give(bytes)
    }
  }

  #put(at: number, bytes: Uint8Array): void {
    const size = Math.max(this.size, at + bytes.length)
    if (size > this.#budget.maxBytes) throw new FileError('EFBIG')
    this.#budget.take(size - this.size, Math.max(0, at - this.size))
    this.#content.write(at, bytes)
    this.#objectBytes = undefined
  }

  #replaceContent(content: FileBytes, missingBytes: number): void {
    this.stopReading()
    this.#content = content
    this.#missingBytes = missingBytes
    this.#isContentShared = false
  }
}

/** What of a revision is in memory. */
function residentBytes({ baseChunks, appendedChunks }: Revision): number {
  return byteLengthOf(baseChunks ?? []) + byteLengthOf(appendedChunks)
}
