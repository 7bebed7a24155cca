/** Makes the table of a page from its part of a file. */
import { csvRows, separatorIn } from '../../../formats/table/csv-rows.ts'
import { BrokenLine, jsonLines } from '../../../formats/table/json-lines.ts'
import type { PartOptions } from '../../../formats/table/row-bounds.ts'
import { tableOfCells, tableOfValues, type Table } from '../../../formats/table/table.ts'
import { MAX_COLUMNS } from './rows-page.ts'

const QUOTE = 0x22

const LATIN_1 = 'The text is not UTF-8. It is shown as Latin-1.'
const OPEN_QUOTE =
  'A quote has no end in this part of the file. It and the quotes after it are shown as they are.'
const SHIFTED =
  'The page begins within the file. If there is a cell with a line break, the first row may be the rest of that cell.'

export interface ParsedPart {
  readonly table: Table
  /** How many rows are before those of the table. */
  readonly skipped: number
  /** Where the next row starts. */
  readonly end: number
  /** Whether the only row goes on after the bytes. */
  readonly isCut: boolean
  readonly notes: readonly string[]
}

/** @param isStart Whether the bytes are the beginning of the file. */
export type ParsePart = (bytes: Uint8Array, options: PartOptions, isStart: boolean) => ParsedPart

/**
 * @param known The separator; absent if the beginning of the file tells it.
 * @param head The beginning of the file, with the names; absent for a page that begins there.
 */
export function csvParser(
  known: string | undefined,
  head: Uint8Array = new Uint8Array(),
): ParsePart {
  return (bytes, options, isStart) => {
    const beginning = isStart ? bytes : head
    const separator = known ?? separatorIn(beginning)
    const limits = { separator, maxColumns: MAX_COLUMNS + 1 }
    const { isEnd, canGrow } = isStart ? options : { isEnd: false, canGrow: false }
    const names = csvRows(beginning, { ...limits, isEnd, canGrow, maxRows: 1 })
    const offset = isStart ? names.end : 0
    const part = csvRows(bytes.subarray(offset), { ...options, ...limits })
    const hasOpenQuote = part.hasOpenQuote || (isStart && names.hasOpenQuote)
    return {
      table: tableOfCells(names.rows[0] ?? [], part.rows, MAX_COLUMNS),
      skipped: part.skipped,
      end: offset + part.end,
      isCut: part.isCut || (isStart && names.isCut),
      notes: [
        ...(part.isLatin1 || names.isLatin1 ? [LATIN_1] : []),
        ...(hasOpenQuote ? [OPEN_QUOTE] : []),
        ...(!isStart && bytes.includes(QUOTE) ? [SHIFTED] : []),
      ],
    }
  }
}

export const parseLines: ParsePart = (bytes, options) => {
  const { rows, isLatin1, ...part } = jsonLines(bytes, options)
  const broken = rows.filter((row) => row instanceof BrokenLine).length
  return {
    ...part,
    table: tableOfValues(rows, MAX_COLUMNS),
    notes: [
      ...(isLatin1 ? [LATIN_1] : []),
      ...(broken > 0 && !part.isCut ? [`Lines that are not JSON, shown as text: ${broken}.`] : []),
    ],
  }
}
