/** Lets a caller watch its files appear in the store. */
import type { TouchedFile } from '../../files/files-touched.ts'
import { rowOf, type FileRow } from './run-answer.ts'

/** Tells of files as they are stored, and at the end of those it has not told of as they are then. */
export class FileProgress {
  readonly #linked: (row: TouchedFile) => Promise<FileRow>
  readonly #onFile: ((row: FileRow) => void) | undefined
  readonly #showsLinks: boolean
  readonly #told = new Map<string, string>()
  #telling: Promise<void> = Promise.resolve()

  /**
   * @param linked Gives a row its links.
   * @param showsLinks Whether events have them too; callers without `files:read` get them with the answer.
   */
  constructor(
    linked: (row: TouchedFile) => Promise<FileRow>,
    onFile: ((row: FileRow) => void) | undefined,
    showsLinks: boolean,
  ) {
    this.#linked = linked
    this.#onFile = onFile
    this.#showsLinks = showsLinks
  }

  /** For a file that was stored while the script went on. */
  stored(row: TouchedFile): void {
    if (!this.#onFile) return
    this.#told.set(row.name, JSON.stringify(row))
    const shown = this.#showsLinks ? this.#linked(row) : Promise.resolve(rowOf(row))
    // Keeps the order of storing: the links of a later file may be ready first.
    const before = this.#telling
    this.#telling = Promise.all([shown, before]).then(([event]) => this.#onFile?.(event))
  }

  /** Gives the rows of the answer. */
  async finish(rows: readonly TouchedFile[]): Promise<FileRow[]> {
    const linked = await Promise.all(rows.map((row) => this.#linked(row)))
    await this.#telling
    rows.forEach((row, i) => {
      if (this.#told.get(row.name) === JSON.stringify(row)) return
      this.#onFile?.(this.#showsLinks ? linked[i]! : rowOf(row))
    })
    return linked
  }
}
