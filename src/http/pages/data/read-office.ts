/** Reads rows of workbooks and of Parquet files. */
import {
  FormatError,
  type ByteSource as FormatSource,
  type FormatHost,
} from '../../../formats/format-host.ts'
import { cellText, tableOfCells, tableOfValues } from '../../../formats/table/table.ts'
import type { ByteSource } from './byte-source.ts'
import type { ReadTable } from './read-whole.ts'
import { MAX_COLUMNS, MAX_WHOLE_BYTES } from './rows-page.ts'

/** About two seconds: a page far behind in a large workbook is not shown. */
const MAX_FUEL = 500_000_000

/** The first sheet; its first row has the names. */
export const readXlsx: ReadTable = (source, first, count) =>
  unlessBad(async () => {
    const [{ openWorkbook }, { readSheet }] = await Promise.all([
      import('../../../formats/xlsx/workbook.ts'),
      import('../../../formats/xlsx/read-sheet.ts'),
    ])
    const host = pageHost()
    const workbook = await openWorkbook(formatSource(source), host)
    const [sheet] = workbook.sheets
    if (!sheet) return undefined
    const batches = readSheet(workbook, sheet, 'the file')
    // The row of names, and one more row to know whether there are any.
    const [names = [], ...rows] = await rowsOf(batches, first, count + 1, true)
    const { columns, rows: cells } = tableOfCells(
      names.map(nameOf),
      rows.map(emptied) as string[][],
    )
    return {
      columns,
      rows: cells.slice(0, count),
      hasMore: cells.length > count,
      notes:
        workbook.sheets.length > 1
          ? [`Sheet “${sheet.name}” is shown, the first of ${workbook.sheets.length}.`]
          : [],
    }
  })

/** Row groups before the page are not read. */
export const readParquet: ReadTable = (source, first, count) =>
  unlessBad(async () => {
    const [{ columnsOf, readMetadata }, { chosenColumns, readRows }] = await Promise.all([
      import('../../../formats/parquet/metadata.ts'),
      import('../../../formats/parquet/read-rows.ts'),
    ])
    const file = formatSource(source)
    const metadata = await readMetadata(file, MAX_WHOLE_BYTES)
    let before = 0
    let skipped = 0
    const groups = metadata.row_groups.filter(({ num_rows: rows }) => {
      const start = before
      before += Number(rows)
      if (before <= first) skipped = before
      return before > first && start < first + count
    })
    const columns = chosenColumns(metadata, undefined, file.name)
    const batches = readRows(file, pageHost(), { ...metadata, row_groups: groups }, columns)
    const values = await rowsOf(batches, first - skipped, count, false)
    const order = Object.fromEntries(
      columnsOf(metadata).map(({ element }) => [element.name, undefined]),
    )
    const { rows } = tableOfValues([order, ...values], MAX_COLUMNS + 1)
    return {
      columns,
      rows: rows.slice(1),
      totalRows: before,
      hasMore: first + values.length < before,
    }
  })

/** @param hasNames Whether the very first row is wanted besides. */
async function rowsOf<Row>(
  batches: AsyncIterable<readonly Row[]>,
  first: number,
  count: number,
  hasNames: boolean,
): Promise<Row[]> {
  const found: Row[] = []
  let seen = hasNames ? -1 : 0
  for await (const batch of batches) {
    for (const row of batch) {
      if (seen === -1 || (seen >= first && seen < first + count)) found.push(row)
      seen++
    }
    if (seen >= first + count) break
  }
  return found
}

function nameOf(cell: unknown): string {
  return cell === null ? '' : cellText(cell)
}

/** Cells without a value are empty. */
function emptied(row: readonly unknown[]): unknown[] {
  return row.map((cell) => cell ?? undefined)
}

async function unlessBad<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

function formatSource({ size, read }: ByteSource): FormatSource {
  return {
    name: 'the file',
    size,
    read: (offset, length) => read(offset, length) as Promise<Uint8Array<ArrayBuffer>>,
    close() {},
  }
}

/** A page reads one file, and saves none. */
function pageHost(): FormatHost {
  const refuse = () => {
    throw new FormatError('a page has one file only')
  }
  let fuel = 0
  return {
    openRead: refuse,
    openSave: refuse,
    checkSave: refuse,
    listFiles: refuse,
    now: () => new Date(),
    work(more) {
      fuel += more
      if (fuel > MAX_FUEL) throw new FormatError('takes too long')
    },
    residentBytes: MAX_WHOLE_BYTES,
    parseBytes: MAX_WHOLE_BYTES,
  }
}
