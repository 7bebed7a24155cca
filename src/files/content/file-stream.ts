/** The content of a large file that is only written forward: it leaves for the store in parts. */
import { QuotaExceeded } from '../../errors.ts'
import { FileError } from '../file-error.ts'
import type { WrittenFile } from '../store/tracked-write.ts'
import type { UploadHooks, UploadStream } from '../store/upload-stream.ts'
import type { FileBudget } from './file-budget.ts'

export type OpenUpload = (hooks: Required<Pick<UploadHooks, 'onFreed'>>) => UploadStream

/** Charges what is still in memory to the run's budget. */
export class FileStream {
  readonly #budget: FileBudget
  readonly #upload: UploadStream
  #bytes: number
  #heldBytes: number
  #finishing: Promise<WrittenFile> | undefined
  /** The file is gone or unwanted: writes go nowhere. */
  #discarding: Promise<void> | undefined

  /** @param chunks What was written so far: charged already, and owned by the stream now. */
  constructor(budget: FileBudget, openUpload: OpenUpload, chunks: readonly Uint8Array[]) {
    this.#budget = budget
    this.#upload = openUpload({ onFreed: (bytes) => this.#give(bytes) })
    this.#heldBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    this.#upload.adopt(chunks)
    this.#bytes = this.#upload.bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get isDiscarded(): boolean {
    return this.#discarding !== undefined
  }

  /** Whether {@link finish} was called. */
  get isFinishing(): boolean {
    return this.#finishing !== undefined
  }

  /**
   * Returns the offset after the written bytes.
   *
   * @throws {FileError} EFBIG unless it is at the end and fits into memory, EIO or EDQUOT if a part
   * could not be stored; nothing is written then.
   */
  write(at: number, bytes: Uint8Array): number {
    if (at !== this.#bytes) throw new FileError('EFBIG')
    if (!this.isDiscarded) this.#take(bytes)
    this.#bytes += bytes.length
    return this.#bytes
  }

  /** What to wait for before this many more bytes are written. Never rejects. */
  room(bytes: number): undefined | Promise<void> {
    return this.isDiscarded ? undefined : this.#upload.room(bytes)
  }

  /** Resolves when memory was freed; `undefined` if nothing is under way. */
  partLeft(): undefined | Promise<void> {
    return this.#upload.partLeft()
  }

  /** Stores the file, once; further calls have the same outcome. */
  finish(): Promise<WrittenFile> {
    this.#finishing ??= this.#upload.close().finally(() => this.#give(this.#heldBytes))
    return this.#finishing
  }

  /** Has no effect on a file that is stored. Never rejects. */
  discard(): Promise<void> {
    this.#discarding ??= this.#upload.abort().then(() => this.#give(this.#heldBytes))
    return this.#discarding
  }

  #take(bytes: Uint8Array): void {
    this.#budget.take(bytes.length)
    try {
      this.#upload.writeNow(bytes)
      this.#heldBytes += bytes.length
    } catch (cause) {
      this.#budget.give(bytes.length)
      this.#give(this.#heldBytes)
      throw new FileError(cause instanceof QuotaExceeded ? 'EDQUOT' : 'EIO', { cause })
    }
  }

  /** A part may end after everything was given back. */
  #give(bytes: number): void {
    const given = Math.min(bytes, this.#heldBytes)
    this.#heldBytes -= given
    this.#budget.give(given)
  }
}
