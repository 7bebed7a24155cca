/** What a page shows of a table. */
import type { Table } from '../../../formats/table/table.ts'
import type { Place } from './place.ts'

export const PAGE_ROWS = 200
/** Of a row; a page is not made for more. */
export const MAX_COLUMNS = 100
/** What is read at once of a JSON array, a workbook, or a row group of Parquet. */
export const MAX_WHOLE_BYTES = 8 * 1024 * 1024

export interface RowsPage {
  readonly table: Table
  /** Whether all cells are text, as in CSV. */
  readonly isText: boolean
  /** Of the first row on the page, if the rows before it are counted. */
  readonly firstRow?: number | undefined
  /** Of all rows, if they are counted. */
  readonly totalRows?: number | undefined
  /** How much of the file is before the page, if its rows are not counted. */
  readonly percent: number
  readonly previous?: Place | undefined
  readonly next?: Place | undefined
  readonly last?: Place | undefined
  /** Whether any position can be jumped to. */
  readonly canJump: boolean
  /** What a reader has to know, as text. */
  readonly notes: readonly string[]
}
