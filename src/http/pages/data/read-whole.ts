/** Reads a page of a file whose rows cannot be found by position. */
import type { ByteSource } from './byte-source.ts'
import { readJsonArray } from './read-json-array.ts'
import { readParquet, readXlsx } from './read-office.ts'
import { MAX_COLUMNS, MAX_WHOLE_BYTES, PAGE_ROWS, type RowsPage } from './rows-page.ts'

/** Some rows of a file. */
interface ReadRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** Whether rows follow. */
  readonly hasMore: boolean
  /** Absent if not all of them were read. */
  readonly totalRows?: number | undefined
  readonly notes?: readonly string[]
}

/** `undefined` if the file is not read. @param first Counted from 0. */
export type ReadTable = (
  source: ByteSource,
  first: number,
  count: number,
) => Promise<ReadRows | undefined>

/** By kind: a reader of another format is one line here. */
const READERS = {
  json: { read: readJsonArray, maxBytes: MAX_WHOLE_BYTES },
  xlsx: { read: readXlsx, maxBytes: MAX_WHOLE_BYTES },
  parquet: { read: readParquet, maxBytes: Infinity },
} satisfies Readonly<Record<string, { readonly read: ReadTable; readonly maxBytes: number }>>

export type WholeKind = keyof typeof READERS

/** `undefined` if it is too large, or no table. @param row Counted from 1. */
export async function readWhole(
  source: ByteSource,
  kind: WholeKind,
  row: number,
): Promise<RowsPage | undefined> {
  const { read, maxBytes } = READERS[kind]
  if (source.size > maxBytes) return undefined
  const found = await read(source, row - 1, PAGE_ROWS)
  if (!found) return undefined
  const { columns, rows, hasMore, totalRows, notes = [] } = found
  const placeOf = (first: number) => ({ at: 0, row: Math.max(1, first) })
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
    next: hasMore ? placeOf(row + rows.length) : undefined,
    last: hasMore && totalRows !== undefined ? placeOf(totalRows - PAGE_ROWS + 1) : undefined,
    canJump: false,
    notes,
  }
}
