/** How much text a document may become: several copies of it are in memory for a moment. */
import { FormatError } from '../format-host.ts'

export class TextRoom {
  readonly #file: string
  readonly #maxLength: number
  #left: number

  constructor(file: string, maxLength: number) {
    this.#file = file
    this.#maxLength = maxLength
    this.#left = maxLength
  }

  /** @throws {FormatError} if there is no room for this many characters more. */
  take(length: number): void {
    this.#left -= length
    if (this.#left >= 0) return
    throw new FormatError(
      `${this.#file}: has more text than the ${this.#maxLength} characters that are read at once`,
    )
  }
}
