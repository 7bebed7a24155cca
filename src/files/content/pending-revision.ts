/** The version of a file that is being stored, while the script may go on changing the file. */
import type { FileBudget } from './file-budget.ts'
import type { FileContent } from './file-content.ts'
import { residentBytes, type Revision } from './revision.ts'

export class PendingRevision {
  readonly #content: FileContent
  readonly #budget: FileBudget
  /** Where the revision ends in the content: loading may shift it. */
  end = 0
  #current: Revision | undefined
  /** Its bytes are read until the upload ends, whatever happens to the file. */
  #uploading: Revision | undefined
  /** Bytes only a revision still holds, no longer part of the content. */
  #detachedBytes = 0

  constructor(content: FileContent, budget: FileBudget) {
    this.#content = content
    this.#budget = budget
  }

  /** Being uploaded, or rejected by the store and to be retried. */
  get current(): Revision | undefined {
    return this.#current
  }

  /** Starts an upload of the current revision, or of a new one of the whole content. */
  upload(revision: Revision): Revision {
    if (this.#current !== revision) {
      this.#current = revision
      this.end = this.#content.size
      this.#content.isShared = true
    }
    return (this.#uploading = revision)
  }

  /** The store has it. */
  settle(): void {
    this.#current = undefined
  }

  /** It is not wanted any more; an upload goes on. */
  discard(): void {
    this.#current = undefined
    if (!this.#uploading) this.#giveDetached()
  }

  /** The upload no longer reads the bytes; a failed revision is kept for a retry. */
  endUpload(revision: Revision): void {
    this.#uploading = undefined
    if (this.#current === revision) return
    this.#giveDetached()
    this.#content.isShared = false
  }

  /** Copy-on-write: the content may change while the revision must not. */
  detach(): void {
    const bytes = this.#current ? residentBytes(this.#current) : 0
    this.#content.detach(bytes)
    this.#detachedBytes += bytes
  }

  /** Empties the content; what an upload still reads stays charged. */
  clearContent(): void {
    const isRead = this.#content.isShared && this.#uploading !== undefined
    const stillRead = isRead ? residentBytes(this.#uploading!) : 0
    this.#detachedBytes += stillRead
    this.#content.clear(stillRead)
  }

  #giveDetached(): void {
    this.#budget.give(this.#detachedBytes)
    this.#detachedBytes = 0
  }
}
