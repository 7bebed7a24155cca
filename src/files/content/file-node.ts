/** A file independent of its name: shared by open handles, even after removal. */
import type { StoredObject } from '../../storage/driver.ts'
import type { StoreRange } from '../store/area-store.ts'
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileContent } from './file-content.ts'
import type { FileStream } from './file-stream.ts'
import { FileError } from '../file-error.ts'
import type { VirtualPath } from '../path.ts'
import { PendingRevision } from './pending-revision.ts'
import { revisionOf, type FileBase, type ChangeKind, type Revision } from './revision.ts'
import type { StoredWrite, WrittenFile } from '../store/tracked-write.ts'
import { holdsOneOf, lastWriteOf } from '../store/marks.ts'

export type GetObject = (path: VirtualPath, range?: StoreRange) => Promise<StoredObject | null>

/** Content on top of a stored base that is fetched on demand; until then it is a hole. */
export class FileNode {
  /** The current name; `null` once removed. */
  path: VirtualPath | null
  readonly content: FileContent
  /** Open handles. */
  handles = 0
  /** Why storing failed: a concurrent change to an edited file, or no answer from the store. */
  fault: 'conflict' | 'unclear' | 'quota' | null = null
  /** The writer was cut off: keep the stored version. */
  isAbandoned = false
  /** Set while the content goes to the store as it is written; it cannot be read before. */
  stream: FileStream | undefined
  readonly #budget: FileBudget
  #base: FileBase | null
  /** Where the content is, of a file that was moved without being loaded. */
  #source: FileBase | null = null
  #change: ChangeKind
  #op: 'append' | 'write'
  #isOwn: boolean
  #loading: Promise<void> | undefined
  readonly #pending: PendingRevision
  #objectBytes: number | undefined
  #edits = 0
  #truncations = 0

  /** @param base `null` for a file that starts empty, whatever the store holds under its name. */
  constructor(path: VirtualPath, budget: FileBudget, base: FileBase | null, change: ChangeKind) {
    this.path = path
    this.#budget = budget
    this.#base = base
    this.#change = change
    this.#op = base ? 'append' : 'write'
    this.#isOwn = base === null
    this.content = new FileContent(budget, base?.bytes ?? 0)
    this.#pending = new PendingRevision(this.content, budget)
  }

  /** A file whose content came from outside the script, and is stored or to be completed. */
  static saved(
    path: VirtualPath,
    budget: FileBudget,
    saved: { readonly base: WrittenFile } | { readonly stream: FileStream },
  ): FileNode {
    const isStored = 'base' in saved
    const node = new FileNode(
      path,
      budget,
      isStored ? saved.base : null,
      isStored ? 'none' : 'write',
    )
    node.#op = 'write'
    node.#isOwn = true
    node.stream = isStored ? undefined : saved.stream
    return node
  }

  /** Reported operation: `append` if the file existed and was only appended to. */
  get op(): 'append' | 'write' {
    return this.#op
  }

  get size(): number {
    return this.stream?.bytes ?? this.content.size
  }

  /** Size of the stored object if known: others may have appended to it. */
  get objectBytes(): number {
    return this.#objectBytes ?? this.size
  }

  set objectBytes(bytes: number) {
    this.#objectBytes = bytes
  }

  /** The stored object the content builds on, if any. */
  get base(): FileBase | null {
    return this.#base
  }

  /** The stored object that has the missing bytes, under this name or the one it had. */
  get origin(): FileBase | null {
    return this.#base ?? this.#source
  }

  /** Storing it is a copy within the store: its bytes are not needed here. */
  get isCopied(): boolean {
    return this.#source !== null
  }

  /** Counts changes other than appends. */
  get edits(): number {
    return this.#edits
  }

  /** Counts how often the content was dropped: nothing stored before is in it since. */
  get truncations(): number {
    return this.#truncations
  }

  /** Has unstored changes other than appends. */
  get isEdited(): boolean {
    return this.#change === 'write' || this.#pending.current?.change === 'write'
  }

  /** Length of the prefix that is still only in the store. */
  get missingBytes(): number {
    return this.stream?.bytes ?? this.content.missingBytes
  }

  /** What has to be fetched to store it. */
  get bytesToFetch(): number {
    return this.stream || this.isCopied ? 0 : this.missingBytes
  }

  /** Has changes that are not stored yet. */
  get isChanged(): boolean {
    return this.#change !== 'none' || this.#pending.current !== undefined
  }

  /** Resident, but not open, and refetchable from the store. */
  get isIdle(): boolean {
    return this.handles === 0 && !this.isChanged && this.content.residentBytes > 0
  }

  /** Pending while its bytes are being fetched; nothing may be stored then. */
  get loading(): Promise<void> | undefined {
    return this.#loading
  }

  /** All content was written by this run, under this name. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  /** Id of the write that stored it, if it is stored and all content is this run's own. */
  get ownWriteId(): string | undefined {
    if (!this.#isOwn || this.isChanged || !this.#base) return undefined
    return lastWriteOf(this.#base)
  }

  /** Makes all bytes resident; `undefined` if they are. Rejects with EFBIG, or EIO if deleted. */
  load(get: GetObject): undefined | Promise<void> {
    if (this.missingBytes === 0 || this.origin === null) return undefined
    this.#loading ??= this.#fetch(this.origin, get).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Makes a byte readable, loading the whole file if it fits. Rejects like {@link load}. */
  loadAt(at: number, get: GetObject): undefined | Promise<void> {
    if (at >= this.missingBytes) return undefined
    if (this.content.isReading) return this.content.prepare(at)
    return this.load(get)?.catch((error: unknown) => {
      const isTooLarge = error instanceof FileError && error.code === 'EFBIG'
      if (!isTooLarge || !this.origin?.etag) throw error
      const { path, bytes, etag } = this.origin
      this.content.startReading({ bytes, etag }, (offset, length) => get(path, { offset, length }))
      return this.content.prepare(at)
    })
  }

  /** A short read is not the end of the file while more of it is in the store. */
  read(at: number, into: Uint8Array): number {
    return this.content.read(at, into)
  }

  /** Views the next write may change; `null` if not all bytes are resident. */
  firstBytes(count: number): readonly Uint8Array[] | null {
    return this.missingBytes > 0 ? null : this.content.chunks(0, count)
  }

  /**
   * Returns the offset after the written bytes.
   *
   * @throws {FileError} EFBIG, having written nothing; holes count, because files are stored whole.
   */
  write(at: number, bytes: Uint8Array): number {
    if (this.missingBytes > 0) throw new Error('write before load')
    if (this.content.isShared) this.#pending.detach()
    this.content.write(at, bytes)
    this.#objectBytes = undefined
    this.#change = 'write'
    this.#op = 'write'
    this.#edits++
    return at + bytes.length
  }

  /**
   * Fills an empty file without copying, taking ownership: see {@link FileBytes.ofChunks}.
   *
   * @throws {FileError} EFBIG, having taken nothing.
   */
  fill(chunks: readonly Uint8Array[]): void {
    this.content.fill(chunks)
    this.#change = 'write'
    this.#op = 'write'
  }

  /** Needs no load: the base is not needed until the file is stored. Throws like {@link write}. */
  append(bytes: Uint8Array): number {
    this.content.write(this.size, bytes)
    this.#objectBytes = undefined
    if (this.#change === 'none') this.#change = 'append'
    return this.size
  }

  /** Hands over the content, all of it resident; what follows goes to the stream. */
  startStream(start: (chunks: readonly Uint8Array[]) => FileStream): FileStream {
    return (this.stream = start(this.content.handOver()))
  }

  /** Records a stored stream, unless the file was truncated meanwhile. */
  streamed(stream: FileStream, { isExact, ...object }: StoredWrite): void {
    if (this.stream !== stream) return
    this.stream = undefined
    this.#change = 'none'
    this.#objectBytes = object.bytes
    this.fault = null
    if (!isExact) this.#isOwn = false
    this.content.replaceStart(0, new FileBytes(object.bytes), object.bytes)
    this.#base = object
  }

  /** Empties the file for all handles, frees its memory and drops its base. */
  truncate(): void {
    this.stream = undefined
    this.#pending.clearContent()
    this.forgetBase()
    this.#isOwn = true
    this.#edits++
    this.#truncations++
  }

  /** The next store replaces whatever is there; what is not loaded is copied from the base. */
  forgetBase(): void {
    this.#source = this.missingBytes > 0 ? this.origin : null
    this.#base = null
    this.#change = 'write'
    this.#op = 'write'
    this.#isOwn = false
    this.#objectBytes = undefined
    this.fault = null
    this.#pending.discard()
  }

  /**
   * Undoes {@link forgetBase}: storing preserves concurrent changes to the object again.
   *
   * @param isIntact Whether the content still starts with that of the object.
   */
  restoreBase(base: FileBase, isIntact: boolean): void {
    this.#base = base
    this.#source = null
    if (isIntact) this.#change = this.size > base.bytes ? 'append' : 'none'
  }

  /** Drops bytes the store can provide again. Idle files only. */
  unload(): void {
    this.content.unload()
  }

  /** What to store next, a rejected revision first; `null` if nothing changed. */
  startStoring(): Revision | null {
    const { current } = this.#pending
    if (current) return this.#pending.upload(current)
    if (this.#change === 'none') return null
    const revision = revisionOf(this.content, this.#base, this.#change, this.#source)
    this.#change = 'none'
    return this.#pending.upload(revision)
  }

  /** Records a stored revision, unless outdated. An exact write contains only this content. */
  stored(revision: Revision, { isExact, ...object }: StoredWrite): void {
    if (this.#pending.current !== revision) return
    this.#pending.settle()
    this.fault = null
    if (!isExact) this.#isOwn = false
    this.content.stopReading()
    if (this.#change === 'none') this.#objectBytes = object.bytes
    const isKnown = this.missingBytes === 0 || revision.source !== null
    this.#source = null
    if (isExact && isKnown) this.#base = object
    else if (this.handles === 0 && this.#change !== 'write') this.#leaveToStore(object)
    else this.#base = { ...object, etag: null, bytes: this.#pending.end }
  }

  /** The upload no longer reads the revision's bytes; a failed revision is kept for a retry. */
  endStoring(revision: Revision): void {
    this.#pending.endUpload(revision)
  }

  /** Others wrote to it too, or its start was never loaded: the stored version is the truth now. */
  #leaveToStore(object: FileBase): void {
    this.content.replaceStart(this.#pending.end, new FileBytes(object.bytes), object.bytes)
    this.#base = object
  }

  async #fetch(base: FileBase, get: GetObject): Promise<void> {
    const object = await this.#budget.reserving(base.bytes, () => get(base.path))
    const isOutdated = this.origin !== base
    if (isOutdated) return
    if (object === null) throw new FileError('EIO')

    // A put that appeared to fail may have succeeded: its bytes are in the object then.
    const { current, end } = this.#pending
    const isRevisionIn = current && holdsOneOf(object, current.putIds)
    const heldBytes = isRevisionIn ? end : base.bytes
    if (isRevisionIn) this.#pending.settle()

    const { etag, body, metadata } = object
    this.content.replaceStart(heldBytes, FileBytes.of(body), 0)
    this.#pending.end += body.length - heldBytes
    if (this.#base) this.#base = { path: base.path, etag, bytes: body.length, metadata }
    this.#source = null
  }
}
