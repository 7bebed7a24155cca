/** Reads the rows of a Parquet file, one row group at a time. */
import { parquetReadObjects, type AsyncBuffer, type FileMetaData, type RowGroup } from 'hyparquet'
import { getSchemaPath, isFlatColumn } from 'hyparquet/src/schema.js'
import { FormatError, type ByteSource, type FormatHost } from '../format-host.ts'
import { checkPages } from './check-pages.ts'
import { columnsOf, reasonOf, typeName } from './metadata.ts'
import { PARSERS, plainValue } from './read-values.ts'
import { unpackers } from './unpack-page.ts'
import { batchesOf } from '../row-reader.ts'

/** Unpacked, of what a row group may have packed. */
const MAX_GROWTH = 4
/** A value takes more memory than its bytes. */
const BYTES_PER_VALUE = 8
const FUEL_PER_BYTE = 8
const FUEL_PER_VALUE = 60
/** Besides what is held: between two columns, hyparquet reads small gaps too. */
const GAP_BYTES = 1024 * 1024

type PlainRow = Record<string, unknown>

interface Chunk {
  readonly start: number
  readonly bytes: Uint8Array
}

/** Some rows at a time, as objects. @throws {FormatError} */
export async function* readRows(
  source: ByteSource,
  host: FormatHost,
  metadata: FileMetaData,
  columns: readonly string[],
): AsyncGenerator<PlainRow[]> {
  for (const [i, group] of metadata.row_groups.entries()) {
    const place = `${source.name}, row group ${i + 1}`
    try {
      const chunks = await loadGroup(source, host, metadata, group, columns)
      const rows = await decode(chunks, host, metadata, group, columns)
      await host.work(rows.length * columns.length * FUEL_PER_VALUE)
      yield* batchesOf(plainRows(rows), bytesOf)
    } catch (error) {
      if (isDamage(error)) throw new FormatError(`${place}: is damaged (${reasonOf(error)})`)
      if (error instanceof FormatError) throw new FormatError(`${place}: ${error.message}`)
      throw error
    }
  }
}

/** All columns if none are named. @throws {FormatError} for a column that cannot be read. */
export function chosenColumns(metadata: FileMetaData, wanted: unknown, file: string): string[] {
  const all = columnsOf(metadata)
  const names = all.map(({ element }) => element.name)
  const chosen = wanted === undefined || wanted === null ? names : wanted
  if (!Array.isArray(chosen)) throw new FormatError('columns must be a list of names')
  for (const name of chosen as unknown[]) {
    const found = all.find(({ element }) => element.name === name)
    if (!found) {
      const known = names.map((each) => JSON.stringify(each)).join(', ')
      throw new FormatError(`${file}: has no column ${JSON.stringify(name)}; it has ${known}`)
    }
    if (typeName(found) === 'variant') {
      throw new FormatError(
        `${file}: column ${JSON.stringify(name)} is a VARIANT, which is not read`,
      )
    }
  }
  return chosen as string[]
}

/** The bytes of the chosen columns, once they are known to be sound. */
async function loadGroup(
  source: ByteSource,
  host: FormatHost,
  metadata: FileMetaData,
  group: RowGroup,
  columns: readonly string[],
): Promise<Chunk[]> {
  if (!(Number(group.num_rows) <= host.parseBytes / BYTES_PER_VALUE)) {
    throw new FormatError(`has ${group.num_rows} rows, more than are read at once`)
  }
  const chunks: Chunk[] = []
  let packed = 0
  let unpacked = 0
  let values = 0
  for (const { meta_data: meta, file_path: otherFile } of group.columns) {
    if (!meta)
      throw new FormatError(otherFile ? 'refers to another file' : 'has an encrypted column')
    if (!columns.includes(meta.path_in_schema[0]!)) continue
    const start = Number(meta.dictionary_page_offset || meta.data_page_offset)
    const bytes = Number(meta.total_compressed_size)
    packed += bytes
    values += Number(meta.num_values)
    if (!(bytes >= 0 && start >= 0 && start + bytes <= source.size)) {
      throw new FormatError(`column ${meta.path_in_schema.join('.')} is cut off`)
    }
    assertReadable(packed, values, host.parseBytes)
    const chunk = { start, bytes: await source.read(start, bytes) }
    await host.work(bytes * FUEL_PER_BYTE)
    try {
      const path = getSchemaPath(metadata.schema, meta.path_in_schema)
      unpacked += checkPages(chunk.bytes, {
        codec: meta.codec,
        path,
        maxValues: Number(isFlatColumn(path) ? group.num_rows : meta.num_values),
        maxBytes: MAX_GROWTH * host.parseBytes - unpacked,
      })
    } catch (error) {
      const reason =
        error instanceof FormatError ? error.message : `is damaged (${reasonOf(error)})`
      throw new FormatError(`column ${meta.path_in_schema.join('.')}: ${reason}`, { cause: error })
    }
    chunks.push(chunk)
  }
  await host.work(unpacked * FUEL_PER_BYTE)
  return chunks
}

function assertReadable(packed: number, values: number, parseBytes: number): void {
  if (!(packed <= parseBytes)) {
    throw new FormatError(
      `has ${packed} bytes; up to ${parseBytes} are read. Choose fewer columns, or write smaller row groups`,
    )
  }
  const most = Math.floor(parseBytes / BYTES_PER_VALUE)
  if (values <= most) return
  throw new FormatError(
    `has ${values} values; up to ${most} are read. Choose fewer columns, or write smaller row groups`,
  )
}

async function decode(
  chunks: readonly Chunk[],
  host: FormatHost,
  metadata: FileMetaData,
  group: RowGroup,
  columns: readonly string[],
): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({
    file: heldFile(chunks),
    metadata: { ...metadata, row_groups: [group], num_rows: group.num_rows },
    columns: [...columns],
    compressors: unpackers(MAX_GROWTH * host.parseBytes),
    parsers: PARSERS,
    utf8: false,
    geoparquet: false,
  })
}

/** Serves ranges from the columns that are held. */
function heldFile(chunks: readonly Chunk[]): AsyncBuffer {
  const held = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const byteLength = chunks.reduce(
    (most, { start, bytes }) => Math.max(most, start + bytes.length),
    0,
  )
  return {
    byteLength,
    slice(start, end = byteLength) {
      if (end - start > held + GAP_BYTES) throw new FormatError('its columns are too far apart')
      const range = new Uint8Array(Math.max(0, end - start))
      for (const chunk of chunks) {
        const from = Math.max(start, chunk.start)
        const to = Math.min(end, chunk.start + chunk.bytes.length)
        if (from < to)
          range.set(chunk.bytes.subarray(from - chunk.start, to - chunk.start), from - start)
      }
      return range.buffer
    },
  }
}

function* plainRows(rows: readonly Record<string, unknown>[]): Generator<PlainRow> {
  for (const row of rows) {
    const fields = Object.create(null) as PlainRow
    for (const [name, value] of Object.entries(row)) {
      const plain = plainValue(value)
      // A missing field is nil in Lua.
      if (plain !== null) fields[name] = plain
    }
    yield fields
  }
}

function bytesOf(row: PlainRow): number {
  let bytes = 0
  for (const name in row) {
    const value = row[name]
    bytes += name.length + (typeof value === 'string' ? value.length : 8)
  }
  return bytes
}

/** What JavaScript and hyparquet throw for data that does not fit together. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    (error instanceof Error && error.constructor === Error)
  )
}
