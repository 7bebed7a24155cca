/** Opens a Parquet file: its footer says which columns and row groups there are. */
import { parquetMetadata, parquetSchema, type FileMetaData, type SchemaTree } from 'hyparquet'
import { FormatError, type ByteSource } from '../format-host.ts'

const MAGIC = 'PAR1'
const ENCRYPTED = 'PARE'
const TAIL_BYTES = 8
const MIN_BYTES = 12

/** @throws {FormatError} for anything but a complete footer. */
export async function readMetadata(source: ByteSource, maxBytes: number): Promise<FileMetaData> {
  const broken = (text: string, cause?: unknown) =>
    new FormatError(`${source.name}: ${text}`, { cause })
  if (source.size < MIN_BYTES) throw broken('is not a Parquet file')
  const tail = await source.read(source.size - TAIL_BYTES, TAIL_BYTES)
  const magic = String.fromCharCode(...tail.subarray(4))
  if (magic === ENCRYPTED) throw broken('is encrypted')
  if (magic !== MAGIC)
    throw broken('is not a Parquet file, or cut off: its last bytes are not PAR1')
  const bytes = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true)
  if (bytes > source.size - MIN_BYTES) {
    throw broken(`is damaged: its footer of ${bytes} bytes is larger than the file`)
  }
  if (bytes > maxBytes) throw broken(`its footer has ${bytes} bytes; up to ${maxBytes} are read`)
  const footer = await source.read(source.size - bytes - TAIL_BYTES, bytes + TAIL_BYTES)
  try {
    const metadata = parquetMetadata(footer, { geoparquet: false })
    // Of a damaged footer, this finds what does not fit together.
    parquetSchema(metadata)
    return metadata
  } catch (cause) {
    throw broken(`is damaged: its footer cannot be read (${reasonOf(cause)})`, cause)
  }
}

/** The columns at the top. */
export function columnsOf(metadata: FileMetaData): readonly SchemaTree[] {
  return parquetSchema(metadata).children
}

/** A column's type in the words of `parquet.write`. */
export function typeName({ element, children }: SchemaTree): string {
  const { type, converted_type: converted, logical_type: logical } = element
  if (children.length > 0) {
    if (converted === 'LIST' || logical?.type === 'LIST') return 'list'
    if (converted === 'MAP' || logical?.type === 'MAP') return 'map'
    return logical?.type === 'VARIANT' ? 'variant' : 'struct'
  }
  const known = logical?.type ?? converted
  if (known === 'UTF8' || known === 'STRING' || known === 'ENUM') return 'string'
  if (known?.startsWith('TIMESTAMP') || type === 'INT96') return 'timestamp'
  if (known === 'DATE' || known === 'JSON' || known === 'DECIMAL' || known === 'UUID') {
    return known.toLowerCase()
  }
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') return 'bytes'
  return (type ?? 'unknown').toLowerCase()
}

export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^parquet /, '').slice(0, 200)
}
