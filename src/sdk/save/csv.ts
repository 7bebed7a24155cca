/** Rows of JSON as lines of CSV, numbers as they were written. */
import { CsvWriter } from '../../formats/csv/write-csv.ts'
import type { ByteSink } from '../../vm/json/sinks.ts'
import { BadRows } from './json-rows.ts'
import type { RowFormat } from './row-lines.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const decoder = new TextDecoder()
const encoder = new TextEncoder()
const NOTHING = new Uint8Array()

/** CSV by name, or if columns are given; `undefined` for lines of JSON. */
export function csvFor(path: string, columns?: readonly string[]): CsvFormat | undefined {
  const isCsv = columns !== undefined || path.toLowerCase().endsWith('.csv')
  return isCsv ? new CsvFormat(columns) : undefined
}

/** Nested values are written as JSON; null and missing ones are empty. */
export class CsvFormat implements RowFormat {
  readonly fuelPerByte = 4
  #columns: readonly string[] | undefined
  #hasHeader = false

  /** @param columns By default the fields of the first row. */
  constructor(columns?: readonly string[]) {
    this.#columns = columns
  }

  get columns(): readonly string[] | undefined {
    return this.#columns
  }

  /** @throws {BadRows} unless the row is an object, and the first one has fields. */
  write(row: Uint8Array, into: ByteSink): void {
    const fields = fieldsOf(row)
    this.#columns ??= [...fields.keys()]
    if (this.#columns.length === 0) {
      throw new BadRows('the first row has no fields: name them with columns')
    }
    const line = new CsvWriter(into)
    if (!this.#hasHeader) {
      for (const column of this.#columns) line.text(encoder.encode(column))
      line.endLine()
    }
    this.#hasHeader = true
    for (const column of this.#columns) writeValue(line, fields.get(column))
    line.endLine()
  }
}

/** @param json A value's own text. */
function writeValue(line: CsvWriter, json: string | undefined): void {
  if (json === undefined || json === 'null') line.plain(NOTHING)
  else if (json.startsWith('"')) line.text(encoder.encode(JSON.parse(json) as string))
  else if (/^[[{]/.test(json)) line.text(encoder.encode(json))
  else line.plain(encoder.encode(json))
}

/** The fields of an object, each as it was written. The row is known to be JSON without spaces. */
function fieldsOf(row: Uint8Array): Map<string, string> {
  if (row[0] !== 0x7b) throw new BadRows('CSV needs rows that are objects')
  const fields = new Map<string, string>()
  for (let at = 1; at < row.length - 1;) {
    const keyEnd = valueEnd(row, at)
    const end = valueEnd(row, keyEnd + 1)
    const key = JSON.parse(decoder.decode(row.subarray(at, keyEnd))) as string
    fields.set(key, decoder.decode(row.subarray(keyEnd + 1, end)))
    at = end + 1
  }
  return fields
}

/** Where the value that starts here ends, before a comma, a colon or the end of the object. */
function valueEnd(row: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const byte = row[at]!
    if (byte === QUOTE) at = stringEnd(row, at)
    else if (depth === 0 && (byte === COMMA || byte === COLON)) return at
    // Brackets and braces differ in one bit.
    else if ((byte | 0x20) === 0x7b) depth++
    else if ((byte | 0x20) === 0x7d && depth-- === 0) return at
  }
}

function stringEnd(row: Uint8Array, start: number): number {
  for (let at = start + 1; ; at++) {
    if (row[at] === QUOTE) return at
    if (row[at] === BACKSLASH) at++
  }
}
