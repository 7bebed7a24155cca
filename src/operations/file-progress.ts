/** Lets a caller watch its files appear in the store. */
import type { TouchedFile } from '../files/files-touched.ts'
import type { FileRow } from './file-links.ts'

/** Tells of files as they are stored, and at the end of those it has not told of as they are then. */
export class FileProgress {
  readonly #linked: (row: TouchedFile) => Promise<FileRow>
  readonly #onFile: ((row: FileRow) => void) | undefined
  readonly #told = new Map<string, string>()
  readonly #telling: Promise<void>[] = []

  /** @param linked Gives a row its links. */
  constructor(
    linked: (row: TouchedFile) => Promise<FileRow>,
    onFile: ((row: FileRow) => void) | undefined,
  ) {
    this.#linked = linked
    this.#onFile = onFile
  }

  /** For a file that was stored while the script went on. */
  stored(row: TouchedFile): void {
    if (!this.#onFile) return
    this.#told.set(row.name, JSON.stringify(row))
    this.#telling.push(this.#linked(row).then((linked) => this.#onFile?.(linked)))
  }

  /** Gives the rows of the answer. */
  async finish(rows: readonly TouchedFile[]): Promise<FileRow[]> {
    const linked = await Promise.all(rows.map((row) => this.#linked(row)))
    await Promise.all(this.#telling)
    rows.forEach((row, i) => {
      if (this.#told.get(row.name) !== JSON.stringify(row)) this.#onFile?.(linked[i]!)
    })
    return linked
  }
}
