/** Writes a Parquet file while its rows come, one row group after the other. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { FormatError, type FormatHost, type RowWriter } from '../format-host.ts'
import { columnOf, guessColumn, type WrittenColumn } from './column-types.ts'

/** A row group can be read again where 8 MiB may be parsed. */
const GROUP_BYTES = 4 * 1024 * 1024
const GROUP_ROWS = 50_000
const FUEL_PER_BYTE = 20
const BYTES_PER_VALUE = 8

type Row = Readonly<Record<string, unknown>>
type WantedColumns = readonly (string | WrittenColumn)[]

export function parquetWriter(host: FormatHost, path: string, columns: unknown): RowWriter {
  const wanted = wantedColumns(columns)
  const target = host.openSave(path)
  const out = new ByteWriter()
  let file:
    { readonly writer: ParquetWriter; readonly columns: readonly WrittenColumn[] } | undefined
  let rows: Row[] = []
  let bytes = 0
  let written = 0

  const start = () => {
    const chosen = columnsFor(wanted, rows)
    const schema = [
      { name: 'root', num_children: chosen.length },
      ...chosen.map(({ name, element }) => ({
        ...element,
        name,
        repetition_type: 'OPTIONAL' as const,
      })),
    ]
    return { writer: new ParquetWriter({ writer: out, schema }), columns: chosen }
  }
  const send = async () => {
    await target.write(out.getBytes())
    out.index = 0
  }
  const endGroup = async () => {
    file ??= start()
    assertKnown(rows, file.columns, written)
    const columnData = file.columns.map((column) => ({
      name: column.name,
      data: rows.map((row, i) => converted(column, row[column.name], written + i)),
    }))
    await host.work(bytes * FUEL_PER_BYTE)
    if (rows.length > 0) await file.writer.write({ columnData, rowGroupSize: rows.length })
    written += rows.length
    rows = []
    bytes = 0
    await send()
    return file.writer
  }

  return {
    async write(more) {
      for (const row of more) {
        if (typeof row !== 'object' || row === null || Array.isArray(row)) {
          const number = written + rows.length + 1
          throw new FormatError(`row ${number}: must be a table with the names of columns`)
        }
        rows.push(row as Row)
        bytes += bytesOf(row as Row)
        if (rows.length >= GROUP_ROWS || bytes >= GROUP_BYTES) await endGroup()
      }
    },

    async close() {
      const writer = await endGroup()
      await writer.finish()
      await send()
      await target.close()
      return null
    },

    abort: () => target.abort(),
  }
}

/** Names, or tables with name and type. @throws {FormatError} */
function wantedColumns(columns: unknown): WantedColumns | undefined {
  if (columns === undefined || columns === null) return undefined
  if (!Array.isArray(columns) || columns.length === 0) {
    throw new FormatError('columns must be a list of names, or of tables with name and type')
  }
  const wanted = columns.map((column: unknown) => {
    if (typeof column === 'string') return column
    const { name, type } = (column ?? {}) as { name?: unknown; type?: unknown }
    if (typeof name === 'string' && typeof type === 'string') return columnOf(name, type)
    throw new FormatError('each of the columns must be a name, or a table with name and type')
  })
  const names = wanted.map(nameOf)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice === undefined) return wanted
  throw new FormatError(`two columns are named ${JSON.stringify(twice)}`)
}

/** Types that are not given follow from the first row group. */
function columnsFor(wanted: WantedColumns | undefined, rows: readonly Row[]): WrittenColumn[] {
  const columns = wanted ?? [...new Set(rows.flatMap((row) => Object.keys(row)))].sort()
  if (columns.length === 0) throw new FormatError('without rows, columns must be given')
  return columns.map((column) =>
    typeof column === 'string'
      ? guessColumn(
          column,
          rows.map((row) => row[column]),
        )
      : column,
  )
}

function nameOf(column: string | WrittenColumn): string {
  return typeof column === 'string' ? column : column.name
}

function assertKnown(rows: readonly Row[], columns: readonly WrittenColumn[], before: number) {
  const names = new Set(columns.map(({ name }) => name))
  rows.forEach((row, i) => {
    const unknown = Object.keys(row).find((name) => !names.has(name))
    if (unknown === undefined) return
    const place = `row ${before + i + 1}`
    throw new FormatError(
      `${place}: no column is named ${JSON.stringify(unknown)}; give all names as columns`,
    )
  })
}

function converted(column: WrittenColumn, value: unknown, index: number): unknown {
  if (value === null || value === undefined) return null
  const found = column.convert(value)
  if (found !== undefined) return found
  const place = `row ${index + 1}, column ${JSON.stringify(column.name)}`
  throw new FormatError(`${place}: ${described(value)} is not of type ${column.type}`)
}

function described(value: unknown): string {
  if (typeof value === 'object') return 'a table'
  const text = String(value)
  return text.length > 40 ? `${JSON.stringify(text.slice(0, 40))}…` : JSON.stringify(text)
}

function bytesOf(row: Row): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    bytes += BYTES_PER_VALUE + (typeof value === 'string' ? value.length : 0)
    if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value, safe).length
  }
  return bytes
}

function safe(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
