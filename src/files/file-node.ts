/** A file apart from its name: what the handles on it share, and what outlives its removal. */
import type { StoredObject } from '../storage/driver.ts'
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileError } from './file-error.ts'
import type { VirtualPath } from './path.ts'

/** The stored object the content is built on. */
export interface FileBase {
  readonly key: string
  /** `null` when others changed the object after this run stored it: its bytes here are out of date. */
  readonly etag: string | null
  readonly bytes: number
}

/** What the store does not have yet: nothing, bytes at the end, or anything else. */
export type FileChange = 'none' | 'append' | 'write'

/** The name under which an object's metadata hold the id of the write that made it. */
export const WRITE_ID = 'write-id'

/** The content at one moment, to be stored while the file goes on changing. */
export interface Revision {
  /** Stays the same over all tries: it tells whether one of them got through. */
  readonly writeId: string
  readonly change: 'append' | 'write'
  readonly base: FileBase | null
  /** The part that came from the store; absent when it is still only there. */
  readonly baseChunks: readonly Uint8Array[] | null
  readonly appendedChunks: readonly Uint8Array[]
  readonly bytes: number
}

/** Content over a stored base whose bytes are fetched when first needed: until then they are a hole. */
export class FileNode {
  /** The name it has now; `null` once removed. */
  path: VirtualPath | null
  /** How many handles are open on it. */
  handles = 0
  /** Somebody else changed the object that this run edited in place. */
  isInConflict = false
  readonly #budget: FileBudget
  #base: FileBase | null
  #change: FileChange
  #op: 'append' | 'write'
  #content: FileBytes
  #missingBytes: number
  #loading: Promise<void> | undefined
  /** On its way to the store, or refused by it and to be tried again. */
  #revision: Revision | undefined
  #isContentShared = false
  #objectBytes: number | undefined

  /** @param base `null` for a file that begins empty, whatever the store holds under its name. */
  constructor(path: VirtualPath, budget: FileBudget, base: FileBase | null, change: FileChange) {
    this.path = path
    this.#budget = budget
    this.#base = base
    this.#change = change
    this.#op = base ? 'append' : 'write'
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

  /** Makes every byte resident; `undefined` when they are. Rejects with EFBIG, or EIO if the object is gone. */
  load(get: (key: string) => Promise<StoredObject | null>): undefined | Promise<void> {
    if (this.#missingBytes === 0 || this.#base === null) return undefined
    this.#loading ??= this.#fetch(this.#base, get).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  read(at: number, into: Uint8Array): number {
    if (at < this.#missingBytes) throw new Error('read before load')
    return this.#content.read(at, into)
  }

  /**
   * Gives the offset behind what was written.
   *
   * @throws {FileError} EFBIG, having written nothing; holes count, because a file is stored whole.
   */
  write(at: number, bytes: Uint8Array): number {
    if (this.#missingBytes > 0) throw new Error('write before load')
    if (this.#isContentShared) this.#content = this.#content.copy()
    this.#isContentShared = false
    this.#put(at, bytes)
    this.#change = 'write'
    this.#op = 'write'
    return at + bytes.length
  }

  /** Needs no load: the base stays in the store until the file is stored. Throws as {@link write}. */
  append(bytes: Uint8Array): number {
    this.#put(this.size, bytes)
    if (this.#change === 'none') this.#change = 'append'
    return this.size
  }

  /** Empties the file for every handle, frees its memory and forgets its base. */
  truncate(): void {
    this.#budget.give(this.size - this.#missingBytes)
    this.#replaceContent(new FileBytes(), 0)
    this.forgetBase()
  }

  /** Storing it then replaces whatever is there. Loaded files only. */
  forgetBase(): void {
    this.#base = null
    this.#change = 'write'
    this.#op = 'write'
    this.#revision = undefined
    this.#objectBytes = undefined
    this.isInConflict = false
  }

  /** Frees what the store could give again. Idle files only. */
  unload(): void {
    this.#budget.give(this.size - this.#missingBytes)
    this.#replaceContent(new FileBytes(this.size), this.size)
  }

  /** What is to be stored next: first of all what the store refused before. `null` when it has everything. */
  startStoring(): Revision | null {
    if (this.#revision) return this.#revision
    if (this.#change === 'none') return null
    this.#revision = {
      writeId: crypto.randomUUID(),
      change: this.#change,
      base: this.#base,
      baseChunks: this.#missingBytes > 0 ? null : this.#content.chunks(0, this.#base?.bytes ?? 0),
      appendedChunks: this.#content.chunks(this.#base?.bytes ?? 0),
      bytes: this.size,
    }
    this.#change = 'none'
    this.#isContentShared = true
    return this.#revision
  }

  /** Told when the store took a revision, and what its object is then; older news count for nothing. */
  stored(revision: Revision, object: FileBase): void {
    if (this.#revision !== revision) return
    this.#revision = undefined
    this.#isContentShared = false
    this.isInConflict = false
    if (this.#change === 'none') this.#objectBytes = object.bytes
    const isOurs = object.bytes === revision.bytes
    if (isOurs && this.#missingBytes === 0) this.#base = object
    else if (this.handles === 0 && this.#change !== 'write') this.#leaveToStore(revision, object)
    else this.#base = { key: object.key, etag: null, bytes: revision.bytes }
  }

  /** Others wrote to it too, or its start was never here: what the store holds is the truth from now on. */
  #leaveToStore(revision: Revision, object: FileBase): void {
    const content = new FileBytes(object.bytes)
    for (const chunk of this.#content.chunks(revision.bytes)) content.write(content.size, chunk)
    this.#budget.give(revision.bytes - this.#missingBytes)
    this.#replaceContent(content, object.bytes)
    this.#base = object
  }

  async #fetch(base: FileBase, get: (key: string) => Promise<StoredObject | null>): Promise<void> {
    const object = await this.#reserving(base.bytes, () => get(base.key))
    const isOutdated = this.#base !== base
    if (isOutdated) return
    if (object === null) throw new FileError('EIO')

    // A try that seemed to fail may have got through: then its bytes are in the object already.
    const isRevisionIn = this.#revision && object.metadata[WRITE_ID] === this.#revision.writeId
    const heldBytes = isRevisionIn ? this.#revision!.bytes : base.bytes
    if (isRevisionIn) this.#revision = undefined

    const { etag, body } = object
    this.#budget.take(body.length)
    const loaded = FileBytes.of(body)
    for (const chunk of this.#content.chunks(heldBytes)) loaded.write(loaded.size, chunk)
    this.#budget.give(heldBytes - this.#missingBytes)
    this.#replaceContent(loaded, 0)
    this.#base = { key: base.key, etag, bytes: body.length }
  }

  /** Keeps two loads at once from each finding room that only one of them can have. */
  async #reserving<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#budget.take(bytes)
    try {
      return await work()
    } finally {
      this.#budget.give(bytes)
    }
  }

  #put(at: number, bytes: Uint8Array): void {
    const size = Math.max(this.size, at + bytes.length)
    if (size > this.#budget.maxBytes) throw new FileError('EFBIG')
    this.#budget.take(size - this.size)
    this.#content.write(at, bytes)
    this.#objectBytes = undefined
  }

  #replaceContent(content: FileBytes, missingBytes: number): void {
    this.#content = content
    this.#missingBytes = missingBytes
    this.#isContentShared = false
  }
}
