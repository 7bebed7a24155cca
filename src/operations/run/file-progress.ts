/** Reports a run's files as they are stored. */
import type { TouchedFile } from '../../files/run/files-touched.ts'
import { rowOf, type FileRow } from './run-answer.ts'

/** Reports each file once stored; `finish` reports any whose final state differs. */
export class FileProgress {
  readonly #linked: (row: TouchedFile) => Promise<FileRow>
  readonly #onFile: ((row: FileRow) => void) | undefined
  readonly #showsLinks: boolean
  readonly #told = new Map<string, string>()
  #telling: Promise<void> = Promise.resolve()

  /**
   * @param linked Adds links to a row.
   * @param showsLinks Whether events include links; without `files:read`, only the answer does.
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

  /** For a file stored while the script is running. */
  stored(row: TouchedFile): void {
    if (!this.#onFile) return
    this.#told.set(row.name, JSON.stringify(row))
    const shown = this.#showsLinks ? this.#linked(row) : Promise.resolve(rowOf(row))
    // Keeps the storing order: a later file's links may be ready first.
    const before = this.#telling
    this.#telling = Promise.all([shown, before]).then(([event]) => this.#onFile?.(event))
  }

  /** Returns the rows of the answer. */
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
