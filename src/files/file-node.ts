/** A file apart from its name: what the handles on it share, and what outlives its removal. */
import type { StoredObject } from '../storage/driver.ts'
import type { ByteRange } from './area-store.ts'
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileContent } from './file-content.ts'
import { FileError } from './file-error.ts'
import type { VirtualPath } from './path.ts'
import { residentBytes, type FileBase, type FileChange, type Revision } from './revision.ts'
import type { StoredWrite } from './tracked-write.ts'
import { holdsOneOf, lastWriteOf } from './write-id.ts'

/** Fetches a stored file, or a range of it. */
export type GetObject = (path: VirtualPath, range?: ByteRange) => Promise<StoredObject | null>

/** Content over a stored base whose bytes are fetched when first needed: until then they are a hole. */
export class FileNode {
  /** The name it has now; `null` once removed. */
  path: VirtualPath | null
  readonly content: FileContent
  /** How many handles are open on it. */
  handles = 0
  /** Why it was not stored: somebody else changed what this run edited in place, or the store did not tell. */
  fault: 'conflict' | 'unclear' | null = null
  /** Its writer broke off: the store keeps what it has. */
  isAbandoned = false
  readonly #budget: FileBudget
  #base: FileBase | null
  #change: FileChange
  #op: 'append' | 'write'
  #isOwn: boolean
  #loading: Promise<void> | undefined
  /** On its way to the store, or refused by it and to be tried again. */
  #revision: Revision | undefined
  /** Where the revision ends in the content: loading may move it. */
  #revisionEnd = 0
  /** Its bytes are read until the upload ends, whatever becomes of the file. */
  #uploading: Revision | undefined
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
    this.content = new FileContent(budget, base?.bytes ?? 0)
  }

  /** How a touched file is reported: `append` when it existed before and nothing else happened to it. */
  get op(): 'append' | 'write' {
    return this.#op
  }

  get size(): number {
    return this.content.size
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
    return this.content.missingBytes
  }

  /** The store does not hold what the file holds now. */
  get isChanged(): boolean {
    return this.#change !== 'none' || this.#revision !== undefined
  }

  /** Resident although nobody has it open and the store could give it again. */
  get isIdle(): boolean {
    return this.handles === 0 && !this.isChanged && this.content.residentBytes > 0
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
    if (this.missingBytes === 0 || this.#base === null) return undefined
    this.#loading ??= this.#fetch(this.#base, get).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Makes the byte at an offset readable, and if memory allows it all others too. Rejects as {@link load}. */
  loadAt(at: number, get: GetObject): undefined | Promise<void> {
    if (at >= this.missingBytes) return undefined
    if (this.content.isReading) return this.content.prepare(at)
    return this.load(get)?.catch((error: unknown) => {
      const isTooLarge = error instanceof FileError && error.code === 'EFBIG'
      if (!isTooLarge || !this.#base?.etag) throw error
      const { path, bytes, etag } = this.#base
      this.content.startReading({ bytes, etag }, (offset, length) => get(path, { offset, length }))
      return this.content.prepare(at)
    })
  }

  /** Fewer bytes than asked for do not mean the end, if there is more in the store. */
  read(at: number, into: Uint8Array): number {
    return this.content.read(at, into)
  }

  /** So many bytes at the start, as views that the next write may change; `null` while not all of them are here. */
  firstBytes(count: number): readonly Uint8Array[] | null {
    return this.missingBytes > 0 ? null : this.content.chunks(0, count)
  }

  /**
   * Gives the offset behind what was written.
   *
   * @throws {FileError} EFBIG, having written nothing; holes count, because a file is stored whole.
   */
  write(at: number, bytes: Uint8Array): number {
    if (this.missingBytes > 0) throw new Error('write before load')
    if (this.content.isShared) this.#detach()
    this.content.write(at, bytes)
    this.#objectBytes = undefined
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
    this.content.fill(chunks)
    this.#change = 'write'
    this.#op = 'write'
  }

  /** Needs no load: the base stays in the store until the file is stored. Throws as {@link write}. */
  append(bytes: Uint8Array): number {
    this.content.write(this.size, bytes)
    this.#objectBytes = undefined
    if (this.#change === 'none') this.#change = 'append'
    return this.size
  }

  /** Empties the file for every handle, frees its memory and forgets its base. */
  truncate(): void {
    const isRead = this.content.isShared && this.#uploading !== undefined
    const stillRead = isRead ? residentBytes(this.#uploading!) : 0
    this.#detachedBytes += stillRead
    this.content.clear(stillRead)
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
    this.fault = null
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
    this.content.unload()
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
      baseChunks: this.missingBytes > 0 ? null : this.content.chunks(0, baseBytes),
      appendedChunks: this.content.chunks(baseBytes),
    }
    this.#revisionEnd = this.size
    this.#change = 'none'
    this.content.isShared = true
    return (this.#uploading = this.#revision)
  }

  /**
   * Told when the store took a revision, and what it has then; older news count for nothing. What is exact holds
   * what was here and nothing else.
   */
  stored(revision: Revision, { isExact, ...object }: StoredWrite): void {
    if (this.#revision !== revision) return
    this.#revision = undefined
    this.fault = null
    if (!isExact) this.#isOwn = false
    this.content.stopReading()
    if (this.#change === 'none') this.#objectBytes = object.bytes
    if (isExact && this.missingBytes === 0) this.#base = object
    else if (this.handles === 0 && this.#change !== 'write') this.#leaveToStore(object)
    else this.#base = { ...object, etag: null, bytes: this.#revisionEnd }
  }

  /** Told when nobody reads a revision's bytes any more; one that failed is kept, to be tried again. */
  endStoring(revision: Revision): void {
    this.#uploading = undefined
    if (this.#revision === revision) return
    this.#giveDetached()
    this.content.isShared = false
  }

  /** Others wrote to it too, or its start was never here: what the store holds is the truth from now on. */
  #leaveToStore(object: FileBase): void {
    this.content.replaceStart(this.#revisionEnd, new FileBytes(object.bytes), object.bytes)
    this.#base = object
  }

  /** Gives the content memory of its own, so that it may change while the revision must not. */
  #detach(): void {
    const bytes = this.#revision ? residentBytes(this.#revision) : 0
    this.content.detach(bytes)
    this.#detachedBytes += bytes
  }

  #giveDetached(): void {
    this.#budget.give(this.#detachedBytes)
    this.#detachedBytes = 0
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
    this.content.replaceStart(heldBytes, FileBytes.of(body), 0)
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
}
