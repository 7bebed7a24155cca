/** A file apart from its name: what the handles on it share, and what outlives its removal. */
import type { StoredObject } from '../storage/driver.ts'
import type { FileBudget } from './file-budget.ts'
import { FileBytes } from './file-bytes.ts'
import { FileError } from './file-error.ts'
import type { VirtualPath } from './path.ts'

/** The stored object the content is built on. */
export interface FileBase {
  readonly key: string
  readonly etag: string
  readonly bytes: number
}

/** What this run did to the content: nothing, only added to its end, or anything else. */
export type FileChange = 'none' | 'append' | 'write'

/** Content over a stored base whose bytes are fetched when first needed: until then they are a hole. */
export class FileNode {
  /** The name it has now; `null` once removed. */
  path: VirtualPath | null
  /** How many handles are open on it. */
  handles = 0
  readonly #budget: FileBudget
  #base: FileBase | null
  #change: FileChange
  #content: FileBytes
  #missingBytes: number
  #loading: Promise<void> | undefined

  /** @param base `null` for a file that begins empty, whatever the store holds under its name. */
  constructor(path: VirtualPath, budget: FileBudget, base: FileBase | null, change: FileChange) {
    this.path = path
    this.#budget = budget
    this.#base = base
    this.#change = change
    this.#missingBytes = base?.bytes ?? 0
    this.#content = new FileBytes(this.#missingBytes)
  }

  get base(): FileBase | null {
    return this.#base
  }

  get change(): FileChange {
    return this.#change
  }

  get size(): number {
    return this.#content.size
  }

  /** Bytes at the start that are still only in the store. */
  get missingBytes(): number {
    return this.#missingBytes
  }

  /** Resident although nobody has it open and the store could give it again. */
  get isIdle(): boolean {
    return this.handles === 0 && this.#change === 'none' && this.#missingBytes < this.size
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
    this.#put(at, bytes)
    this.#change = 'write'
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
    this.#content.truncate()
    this.#missingBytes = 0
    this.forgetBase()
  }

  /** Storing it then replaces whatever is there. Loaded files only. */
  forgetBase(): void {
    this.#base = null
    this.#change = 'write'
  }

  /** Frees what the store could give again. Idle files only. */
  unload(): void {
    this.#budget.give(this.size - this.#missingBytes)
    this.#missingBytes = this.size
    this.#content = new FileBytes(this.size)
  }

  /** The part that came from the store; zeros unless loaded. */
  baseChunks(): Uint8Array[] {
    return this.#content.chunks(0, this.#base?.bytes ?? 0)
  }

  /** The part beyond the base. */
  appendedChunks(): Uint8Array[] {
    return this.#content.chunks(this.#base?.bytes ?? 0)
  }

  async #fetch(base: FileBase, get: (key: string) => Promise<StoredObject | null>): Promise<void> {
    const object = await this.#reserving(base.bytes, () => get(base.key))
    const wasTruncatedMeanwhile = this.#base !== base
    if (wasTruncatedMeanwhile) return
    if (object === null) throw new FileError('EIO')

    const { etag, body } = object
    this.#budget.take(body.length)
    const loaded = FileBytes.of(body)
    for (const chunk of this.appendedChunks()) loaded.write(loaded.size, chunk)
    this.#content = loaded
    this.#base = { key: base.key, etag, bytes: body.length }
    this.#missingBytes = 0
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
  }
}
