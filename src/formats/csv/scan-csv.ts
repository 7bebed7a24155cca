/** Finds the rows and fields in bytes of CSV (RFC 4180), without copying them. */
import { FormatError } from '../format-host.ts'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** Columns of one row, as in spreadsheets. */
const MAX_COLUMNS = 16_384
/** A row is taken as a whole. */
export const MAX_ROW_BYTES = 4_194_304

/** Taken at once, unless one row has more. */
export const BATCH_FIELDS = 4_096

/** Set for a field in which two quotes stand for one. */
export const ESCAPED = 1

/** Reused for every batch of rows. */
export class CsvBatch {
  /** Start, end and {@link ESCAPED} of each field, one after the other. */
  readonly fields = new Int32Array(3 * (BATCH_FIELDS + MAX_COLUMNS))
  fieldCount = 0
  escapedCount = 0
  /** The number of fields up to the end of each row. */
  readonly rowEnds: number[] = []
}

export interface CsvText {
  readonly bytes: Uint8Array
  /** Where to begin, at the start of a row. */
  readonly start: number
  readonly end: number
  /** The line of the start, from 1. */
  readonly line: number
  readonly separator: number
  /** Whether no text follows. */
  readonly isLast: boolean
  /** Rows with more fields are bad. */
  readonly columns?: number | undefined
  readonly maxRows?: number | undefined
  /** Rows after this many bytes are left for the next batch. */
  readonly maxBytes?: number | undefined
}

/**
 * Takes rows that are complete; blank lines are none.
 *
 * @returns where the next row begins.
 * @throws {FormatError} with the line, if the first row is bad; later ones wait for their batch.
 */
export function scanCsv(text: CsvText, batch: CsvBatch): { at: number; line: number } {
  const scan = new Scan(text, batch)
  return scan.rows()
}

class Scan {
  readonly #text: CsvText
  readonly #batch: CsvBatch
  #at: number
  #line: number

  constructor(text: CsvText, batch: CsvBatch) {
    this.#text = text
    this.#batch = batch
    this.#at = text.start
    this.#line = text.line
    batch.fieldCount = 0
    batch.escapedCount = 0
    batch.rowEnds.length = 0
  }

  rows(): { at: number; line: number } {
    const { start, end, maxRows = Infinity, maxBytes = Infinity } = this.#text
    const batch = this.#batch
    let at = start
    let line = this.#line
    const hasRoom = () =>
      batch.rowEnds.length < maxRows && batch.fieldCount < BATCH_FIELDS && at - start < maxBytes
    while (at < end && hasRoom()) {
      const fields = batch.fieldCount
      if (!this.#rowOrLater()) {
        batch.fieldCount = fields
        break
      }
      if (batch.fieldCount > fields) batch.rowEnds.push(batch.fieldCount)
      at = this.#at
      line = this.#line
    }
    return { at, line }
  }

  /** The rows before a bad one come first. */
  #rowOrLater(): boolean {
    try {
      return this.#row()
    } catch (error) {
      if (this.#batch.rowEnds.length > 0) return false
      throw error
    }
  }

  /** False if the row is not complete. */
  #row(): boolean {
    const { bytes, end, isLast, separator, columns = MAX_COLUMNS } = this.#text
    const first = this.#batch.fieldCount
    const begin = this.#at
    const line = this.#line
    for (;;) {
      const isQuoted = this.#at < end && bytes[this.#at] === QUOTE
      if (!(isQuoted ? this.#quoted() : this.#plain())) return this.#incomplete(begin, line)
      if (this.#at === end || bytes[this.#at] !== separator) break
      if (this.#batch.fieldCount - first === MAX_COLUMNS) {
        throw this.#error(`more than ${MAX_COLUMNS} columns`)
      }
      this.#at++
    }
    const at = this.#at
    // A line end may be cut in two.
    const isCut = at === end || (bytes[at] === CR && at + 1 === end)
    if (isCut && !isLast) return this.#incomplete(begin, line)
    const isBlank = at === begin
    if (isBlank) this.#batch.fieldCount = first
    const count = this.#batch.fieldCount - first
    if (count > columns) {
      throw this.#error(`${count} fields, but the header has ${columns}`, line)
    }
    this.#endLine()
    return true
  }

  #endLine(): void {
    const { bytes, end } = this.#text
    if (this.#at >= end) return
    if (bytes[this.#at] === CR && this.#at + 1 < end && bytes[this.#at + 1] === LF) this.#at++
    this.#at++
    this.#line++
  }

  #plain(): boolean {
    const { bytes, end, separator } = this.#text
    const start = this.#at
    let at = start
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte === separator || byte === LF || byte === CR) break
    }
    this.#at = at
    this.#add(start, at, 0)
    return true
  }

  /** False if the closing quote is not there yet. */
  #quoted(): boolean {
    const { bytes, end, isLast, separator } = this.#text
    const opened = this.#line
    const start = this.#at + 1
    let at = start
    let escaped = 0
    for (; ; at++) {
      if (at >= end) {
        if (isLast) throw this.#error('a quote is never closed', opened)
        return false
      }
      const byte = bytes[at]!
      if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) this.#line++
      if (byte !== QUOTE) continue
      if (at + 1 < end && bytes[at + 1] === QUOTE) {
        escaped = ESCAPED
        at++
      } else break
    }
    // What follows the quote decides whether it is the closing one.
    if (at + 1 === end && !isLast) return false
    const next = at + 1 < end ? bytes[at + 1]! : LF
    if (next !== separator && next !== LF && next !== CR) {
      throw this.#error('text follows a closing quote')
    }
    this.#add(start, at, escaped)
    this.#at = at + 1
    return true
  }

  #add(start: number, end: number, escaped: number): void {
    const place = 3 * this.#batch.fieldCount++
    this.#batch.fields[place] = start
    this.#batch.fields[place + 1] = end
    this.#batch.fields[place + 2] = escaped
    this.#batch.escapedCount += escaped
  }

  #incomplete(begin: number, line: number): false {
    if (this.#text.end - begin > MAX_ROW_BYTES) {
      throw this.#error(`a row is longer than ${MAX_ROW_BYTES} bytes`, line)
    }
    return false
  }

  #error(problem: string, line = this.#line): FormatError {
    return new FormatError(`line ${line}: ${problem}`)
  }
}

/** The text of an escaped field: two quotes stand for one. */
export function unescapeQuotes(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    text[length++] = bytes[at]!
    if (bytes[at] === QUOTE) at++
  }
  return text.subarray(0, length)
}
