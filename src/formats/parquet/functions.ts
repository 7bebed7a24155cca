/** `parquet` for scripts. */
import type { FormatFunctions } from '../format-host.ts'
import { rowReader } from '../row-reader.ts'
import { columnsOf, readMetadata, typeName } from './metadata.ts'
import { chosenColumns, readRows } from './read-rows.ts'
import { parquetWriter } from './write-rows.ts'

export const functions: FormatFunctions = {
  async schema(host, path) {
    const source = await host.openRead(path as string)
    try {
      const metadata = await readMetadata(source, host.parseBytes)
      const columns = columnsOf(metadata).map((column) => ({
        name: column.element.name,
        type: typeName(column),
        nullable: column.element.repetition_type !== 'REQUIRED',
      }))
      return { value: columns }
    } finally {
      source.close()
    }
  },

  async rows(host, path, options) {
    const { columns } = (options ?? {}) as { columns?: unknown }
    const source = await host.openRead(path as string)
    try {
      const metadata = await readMetadata(source, host.parseBytes)
      const chosen = chosenColumns(metadata, columns, source.name)
      return { reader: rowReader(readRows(source, host, metadata, chosen), () => source.close()) }
    } catch (error) {
      source.close()
      throw error
    }
  },

  async write(host, path, options) {
    const { columns } = (options ?? {}) as { columns?: unknown }
    return { writer: parquetWriter(host, path as string, columns) }
  },
}
