/**
 * Checks the pages of a column before hyparquet decodes them. It trusts their counts: a run of a
 * billion values in a few bytes would fill the memory, and a block of no values never end.
 */
import type { CompressionCodec, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, isFlatColumn } from 'hyparquet/src/schema.js'
import { FormatError } from '../format-host.ts'
import { unpackPage, type PageUnpacker } from './unpack-page.ts'

/** Writers fill the last group of a packed run. */
const PADDED_VALUES = 512
const DELTA_BLOCK = 128
const DELTA_MINIBLOCK = 32

export interface CheckedChunk {
  readonly codec: CompressionCodec
  readonly path: readonly SchemaTree[]
  /** Of its row group. */
  readonly maxValues: number
  readonly maxBytes: number
}

type Header = ReturnType<typeof parquetHeader>

interface Cursor {
  readonly view: DataView
  offset: number
}

/** @returns how many bytes its pages have, unpacked. @throws {FormatError} */
export function checkPages(bytes: Uint8Array, chunk: CheckedChunk): number {
  const unpack = unpackPage(chunk.codec, chunk.maxBytes)
  const isFlat = isFlatColumn([...chunk.path])
  const reader: Cursor = { view: viewOf(bytes), offset: 0 }
  let values = 0
  let unpacked = 0
  // As far as hyparquet reads: a flat column up to its last row, others to their end.
  while (reader.offset < bytes.length - 1) {
    if (isFlat && values >= chunk.maxValues) break
    const header = parquetHeader(reader)
    const packed = header.compressed_page_size
    if (!(packed >= 0 && reader.offset + packed <= bytes.length)) {
      throw new FormatError(`a page at byte ${reader.offset} is cut off`)
    }
    const body = bytes.subarray(reader.offset, reader.offset + packed)
    reader.offset += packed
    unpacked += header.uncompressed_page_size
    if (!(unpacked <= chunk.maxBytes)) throw new FormatError('unpacks to more than may be read')
    values += checkPage(header, body, unpack, chunk, chunk.maxValues - values)
  }
  return unpacked
}

/** @returns how many values it has. */
function checkPage(
  header: Header,
  body: Uint8Array,
  unpack: PageUnpacker,
  chunk: CheckedChunk,
  maxValues: number,
): number {
  const bytes = header.uncompressed_page_size
  const {
    dictionary_page_header: dictionary,
    data_page_header: v1,
    data_page_header_v2: v2,
  } = header
  if (header.type === 'DICTIONARY_PAGE' && dictionary) {
    assertCount(dictionary.num_values, Math.min(8 * bytes, chunk.maxBytes))
    return 0
  }
  if (header.type === 'DATA_PAGE' && v1) {
    assertCount(v1.num_values, maxValues)
    const page = viewOf(unpack(body, bytes))
    let at = 0
    for (const width of levelWidths(chunk)) {
      if (width === 0) continue
      const length = page.getUint32(at, true)
      checkRuns(page, at + 4, width, v1.num_values)
      at += 4 + length
    }
    // Without bits, all values are the first of the dictionary, and there are no runs.
    const isConstant = isDictionary(v1.encoding) && page.getUint8(at) === 0
    if (!isConstant) checkValues(page, at, v1.encoding, v1.num_values, chunk)
    return v1.num_values
  }
  if (header.type !== 'DATA_PAGE_V2' || !v2) throw new FormatError('has a page of an unknown kind')
  assertCount(v2.num_values, maxValues)
  assertCount(v2.num_nulls, v2.num_values)
  const lengths = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length]
  const levels = viewOf(body)
  let at = 0
  levelWidths(chunk).forEach((width, i) => {
    if (width > 0) checkRuns(levels, at, width, v2.num_values)
    at += lengths[i]!
  })
  if (!(at >= 0 && at <= body.length)) throw new FormatError('has levels longer than their page')
  const packed = body.subarray(at)
  const rest = v2.is_compressed === false ? packed : unpack(packed, bytes - at)
  checkValues(viewOf(rest), 0, v2.encoding, v2.num_values - v2.num_nulls, chunk)
  return v2.num_values
}

/** Bits of a repetition and of a definition level. */
function levelWidths({ path }: CheckedChunk): readonly number[] {
  const most = [getMaxRepetitionLevel([...path]), getMaxDefinitionLevel([...path])]
  return most.map((level) => 32 - Math.clz32(level))
}

function isDictionary(encoding: string | undefined): boolean {
  return encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY'
}

function checkValues(
  page: DataView,
  at: number,
  encoding: string | undefined,
  count: number,
  { path }: CheckedChunk,
): void {
  if (count === 0) return
  if (isDictionary(encoding)) checkRuns(page, at + 1, page.getUint8(at), count)
  else if (encoding === 'RLE' && path.at(-1)?.element.type === 'BOOLEAN') {
    checkRuns(page, at + 4, 1, count)
  } else if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY') {
    checkDelta({ view: page, offset: at })
  } else if (encoding === 'PLAIN' || encoding === 'BYTE_STREAM_SPLIT') {
    assertCount(count, 8 * (page.byteLength - at))
  } else {
    throw new FormatError(`is encoded as ${encoding ?? 'something unknown'}, which is not read`)
  }
}

/** Repeated and packed runs, up to this many values. */
function checkRuns(view: DataView, at: number, width: number, count: number): void {
  if (width > 32)
    throw new FormatError('has values of more than 32 bits where numbers are expected')
  const reader: Cursor = { view, offset: at }
  let seen = 0
  while (seen < count) {
    const header = readVarInt(reader)
    const isPacked = (header & 1) === 1
    const run = isPacked ? (header >>> 1) * 8 : header >>> 1
    assertCount(run, count - seen + PADDED_VALUES)
    reader.offset += isPacked ? (header >>> 1) * width : (width + 7) >> 3
    if (reader.offset > view.byteLength + PADDED_VALUES) {
      throw new FormatError('has a run of values that is cut off')
    }
    seen += run
  }
}

function checkDelta(reader: Cursor): void {
  const block = readVarInt(reader)
  const parts = readVarInt(reader)
  const isSound = block > 0 && block % DELTA_BLOCK === 0 && parts > 0 && parts <= block
  if (!isSound || (block / parts) % DELTA_MINIBLOCK !== 0) {
    throw new FormatError('has a damaged block of differences')
  }
}

function readVarInt(reader: Cursor): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.view.getUint8(reader.offset++)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value >>> 0
  }
  throw new FormatError('has a damaged number')
}

function assertCount(count: number, most: number): void {
  if (Number.isInteger(count) && count >= 0 && count <= most) return
  throw new FormatError(`claims ${count} values where at most ${most} can be`)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
