/** `xlsx` for scripts. */
import { FormatError, type FormatFunctions, type FormatHost } from '../format-host.ts'
import { batchesOf, rowReader } from '../row-reader.ts'
import { readSheet, type CellValue } from './read-sheet.ts'
import { findSheet, openWorkbook, type Sheet, type Workbook } from './workbook.ts'
import { xlsxWriter } from './write-workbook.ts'

/** About; a batch is one piece of the sheet. */
const FUEL_PER_CELL = 60

export const functions: FormatFunctions = {
  async sheets(host, path) {
    const source = await host.openRead(path as string)
    try {
      const { sheets } = await openWorkbook(source, host)
      return { value: sheets.map(({ name }) => name) }
    } finally {
      source.close()
    }
  },

  async rows(host, path, sheet, options) {
    const hasHeader = (options as { header?: unknown } | null)?.header !== false
    const source = await host.openRead(path as string)
    try {
      const workbook = await openWorkbook(source, host)
      const found = findSheet(workbook, sheet, source.name)
      const rows = sheetRows(host, workbook, found, source.name, hasHeader)
      return { reader: rowReader(rows, () => source.close()) }
    } catch (error) {
      source.close()
      throw error
    }
  },

  async write(host, path, options) {
    const { columns } = (options ?? {}) as { columns?: unknown }
    return { writer: xlsxWriter(host, path as string, columns) }
  },
}

async function* sheetRows(
  host: FormatHost,
  workbook: Workbook,
  sheet: Sheet,
  file: string,
  hasHeader: boolean,
): AsyncGenerator<readonly unknown[]> {
  let header: readonly string[] | undefined
  for await (const rows of readSheet(workbook, sheet, file)) {
    await host.work(rows.reduce((sum, { length }) => sum + length, 0) * FUEL_PER_CELL)
    if (hasHeader) header ??= columnNames(rows.shift()!, file)
    const names = header
    for (const batch of batchesOf(rows, bytesOf)) {
      yield names ? batch.map((row) => named(row, names)) : batch
    }
  }
}

/** In JSON, about; a name takes as much as a short value. */
function bytesOf(row: readonly CellValue[]): number {
  return row.reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8) + 16,
    0,
  )
}

/** Columns without a name are left out. @throws {FormatError} for two of one name. */
function columnNames(row: readonly CellValue[], file: string): readonly string[] {
  const names = row.map((cell) => (cell === null ? '' : String(cell)))
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) < i)
  if (twice === undefined) return names
  const message = `${file}: two columns are named ${JSON.stringify(twice)}; read it with header = false`
  throw new FormatError(message)
}

function named(row: readonly CellValue[], names: readonly string[]): Record<string, CellValue> {
  const fields: Record<string, CellValue> = Object.create(null) as Record<string, CellValue>
  row.forEach((value, i) => {
    const name = names[i]
    if (value !== null && name !== undefined && name !== '') fields[name] = value
  })
  return fields
}
