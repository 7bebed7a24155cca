/** Turns the array in a stream of JSON into the lines of a file. */
import { ByteSink } from '../../vm/json/sinks.ts'
import { JsonRows } from './json-rows.ts'

const NEWLINE = 0x0a
/** Fuel, measured against Lua code of equal time. */
const FUEL_PER_ROW = 40

/** How a row is written. */
export interface RowFormat {
  readonly fuelPerByte: number
  write(row: Uint8Array, into: ByteSink): void
}

export const JSON_LINES: RowFormat = {
  fuelPerByte: 1,
  write(row, into) {
    into.write(row)
    into.writeByte(NEWLINE)
  },
}

export interface RowLinesOptions {
  /** Rows to leave out at the beginning. */
  readonly skip?: number | undefined
  /** Called with the length of the lines before a row is kept. @throws to refuse the row. */
  readonly assertRoom?: ((bytes: number) => void) | undefined
  /** Sees each row. */
  readonly onRow?: ((row: Uint8Array) => void) | undefined
}

export class RowLines {
  /** Rows so far, including those that were skipped. */
  count = 0
  readonly #rows: JsonRows
  readonly #fuelPerByte: number
  readonly #lines = new ByteSink()
  #bytes = 0
  #work = 0

  constructor(path: readonly string[], format: RowFormat, options: RowLinesOptions = {}) {
    const { skip = 0, assertRoom, onRow } = options
    this.#fuelPerByte = format.fuelPerByte
    this.#rows = new JsonRows(path, (row) => {
      if (this.count >= skip) {
        format.write(row, this.#lines)
        assertRoom?.(this.#lines.length)
        this.#bytes = this.#lines.length
      }
      onRow?.(row)
      this.count++
    })
  }

  /** Reads a piece; if that throws, {@link take} has the complete rows before. */
  push(piece: Uint8Array): void {
    const rows = this.count
    this.#rows.push(piece)
    this.#work += piece.length * this.#fuelPerByte + (this.count - rows) * FUEL_PER_ROW
  }

  /** The lines since the last call, valid until the next {@link push}. */
  take(): Uint8Array {
    const lines = this.#lines.written.subarray(0, this.#bytes)
    this.#lines.clear()
    this.#bytes = 0
    return lines
  }

  /** Fuel for what was read since the last call. */
  takeWork(): number {
    const work = this.#work
    this.#work = 0
    return work
  }

  /** Frees memory; nothing can be taken any more. */
  release(): void {
    this.#lines.release()
  }

  /** The JSON around the array. @throws {BadRows} */
  end(): string {
    return this.#rows.end()
  }
}
