/** Reads a page of a file whose rows cannot be found by position, of limited size. */
import { BrokenLine, findValue } from '../../../formats/table/json-lines.ts'
import { tableOfValues } from '../../../formats/table/table.ts'
import { BadRows, JsonRows } from '../../../sdk/save/json-rows.ts'
import type { ByteSource } from './byte-source.ts'
import { MAX_COLUMNS, PAGE_ROWS, type RowsPage } from './rows-page.ts'

/** Rows `first` to `first + count`, counted from 0, and how many there are. */
interface ReadRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly totalRows: number
}

/** `undefined` if the file has no rows. */
type ReadTable = (
  source: ByteSource,
  first: number,
  count: number,
) => Promise<ReadRows | undefined>

/** By kind: a reader of another format is one line here. */
const READERS = { json: readJsonArray } satisfies Readonly<Record<string, ReadTable>>

export type WholeKind = keyof typeof READERS

/** Larger files show their facts. */
export const MAX_WHOLE_BYTES = 8 * 1024 * 1024

/** @param row Counted from 1. */
export async function readWhole(
  source: ByteSource,
  kind: WholeKind,
  row: number,
): Promise<RowsPage | undefined> {
  const read: ReadTable = READERS[kind]
  const found = await read(source, row - 1, PAGE_ROWS)
  if (!found) return undefined
  const { columns, rows, totalRows } = found
  const placeOf = (first: number) => ({ at: 0, row: Math.max(1, first) })
  const next = row + rows.length
  return {
    table: {
      columns: columns.slice(0, MAX_COLUMNS),
      rows: rows.map((cells) => cells.slice(0, MAX_COLUMNS)),
      isNarrowed: columns.length > MAX_COLUMNS,
    },
    isText: false,
    firstRow: row,
    totalRows,
    percent: 0,
    previous: row > 1 ? placeOf(row - PAGE_ROWS) : undefined,
    next: next <= totalRows ? placeOf(next) : undefined,
    last: next <= totalRows ? placeOf(totalRows - PAGE_ROWS + 1) : undefined,
    canJump: false,
    notes: [],
  }
}

/** Only the page's elements become objects: all of them could be 20 times as large as their text. */
async function readJsonArray(
  source: ByteSource,
  first: number,
  count: number,
): Promise<ReadRows | undefined> {
  const decoder = new TextDecoder()
  const values: unknown[] = []
  let totalRows = 0
  const array = new JsonRows([], (element) => {
    const isShown = totalRows >= first && values.length < count
    if (isShown) values.push(findValue(decoder.decode(element)))
    totalRows++
  })
  try {
    array.push(await source.read(0, source.size))
    array.end()
  } catch (error) {
    if (error instanceof BadRows) return undefined
    throw error
  }
  if (totalRows === 0 || values.some((value) => value instanceof BrokenLine)) return undefined
  const { columns, rows } = tableOfValues(values, MAX_COLUMNS + 1)
  return { columns, rows, totalRows }
}
