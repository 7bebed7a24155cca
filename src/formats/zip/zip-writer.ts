/** Writes a ZIP archive as a stream: sizes and checksums follow the content of each file. */
import { crc32 } from '../../lib/crc32.ts'
import { compressed } from '../save-file.ts'
import {
  dosTime,
  FLAG,
  LENGTH,
  MAX_16,
  MAX_32,
  METHOD,
  RecordWriter,
  SIGNATURE,
  ZIP64_FIELD,
} from './zip-records.ts'

/** Versions of the format that a reader must know. */
const VERSION = { plain: 20, zip64: 45 } as const
const MADE_ON_UNIX = 3 << 8
/** A regular file that everyone may read. */
const ATTRIBUTES = (0o100644 << 16) >>> 0
/** Compressing may add a little, so sizes just below 4 GiB get 64 bits too. */
const ZIP64_BYTES = 0xff000000
/** Compressing these again saves nothing. */
const COMPRESSED_ALREADY =
  /\.(?:7z|avif|br|bz2|docx|epub|gif|gz|jpe?g|m4a|mov|mp[34]|parquet|png|pptx|webm|webp|woff2?|xlsx|xz|zip|zst)$/i

const encoder = new TextEncoder()

export interface ZipFile {
  /** With slashes; must be unique. */
  readonly name: string
  /** About; decides whether sizes need 64 bits. */
  readonly bytes: number
  readonly modifiedAt: Date
  /** Whether it is not to be compressed, which takes time. */
  readonly isStored?: boolean | undefined
  readonly pieces: AsyncIterable<Uint8Array<ArrayBuffer>>
}

interface WrittenEntry {
  readonly name: Uint8Array
  readonly method: number
  readonly date: number
  readonly time: number
  readonly offset: number
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
}

/** {@link add} the files one after the other, then {@link finish}. */
export class ZipWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>
  readonly #entries: WrittenEntry[] = []
  #offset = 0

  /** @param write Must take the bytes before it resolves. */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write
  }

  async add(file: ZipFile): Promise<void> {
    const name = encoder.encode(file.name)
    const isStored = file.isStored ?? COMPRESSED_ALREADY.test(file.name)
    const method = isStored ? METHOD.stored : METHOD.deflated
    const { date, time } = dosTime(file.modifiedAt)
    const offset = this.#offset
    const isLarge = file.bytes >= ZIP64_BYTES
    await this.#put(localHeader({ name, method, date, time }, isLarge))

    const start = this.#offset
    let crc = 0
    let bytes = 0
    const counted = (async function* () {
      for await (const piece of file.pieces) {
        crc = crc32(piece, crc)
        bytes += piece.length
        yield piece
      }
    })()
    const packed = method === METHOD.stored ? counted : compressed(counted, 'deflate-raw')
    for await (const piece of packed) await this.#put(piece)

    const packedBytes = this.#offset - start
    await this.#put(descriptor(crc, packedBytes, bytes, isLarge))
    this.#entries.push({ name, method, date, time, offset, crc, packedBytes, bytes })
  }

  /** The list of files at the end. */
  async finish(): Promise<void> {
    const offset = this.#offset
    for (const entry of this.#entries) await this.#put(directoryEntry(entry))
    const bytes = this.#offset - offset
    const count = this.#entries.length
    if (count >= MAX_16 || offset >= MAX_32 || bytes >= MAX_32) {
      await this.#put(end64(count, bytes, offset))
    }
    const limited = (value: number, max: number) => Math.min(value, max)
    const counts = limited(count, MAX_16)
    const end = new RecordWriter(LENGTH.end)
      .u32(SIGNATURE.end)
      .u16(0, 0, counts, counts)
      .u32(limited(bytes, MAX_32), limited(offset, MAX_32))
    await this.#put(end.bytes)
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length
    await this.#write(bytes)
  }
}

type Header = Pick<WrittenEntry, 'name' | 'method' | 'date' | 'time'>

function localHeader({ name, method, date, time }: Header, isLarge: boolean): Uint8Array {
  const extra = isLarge ? new RecordWriter(20).u16(ZIP64_FIELD, 16).bytes : new Uint8Array()
  const size = isLarge ? MAX_32 : 0
  return new RecordWriter(LENGTH.localHeader + name.length + extra.length)
    .u32(SIGNATURE.localHeader)
    .u16(isLarge ? VERSION.zip64 : VERSION.plain, FLAG.descriptor | FLAG.utf8, method, time, date)
    .u32(0, size, size)
    .u16(name.length, extra.length)
    .raw(name)
    .raw(extra).bytes
}

function descriptor(crc: number, packed: number, bytes: number, isLarge: boolean): Uint8Array {
  const record = new RecordWriter(isLarge ? 24 : 16).u32(SIGNATURE.descriptor, crc)
  return (isLarge ? record.u64(packed, bytes) : record.u32(packed, bytes)).bytes
}

function directoryEntry(entry: WrittenEntry): Uint8Array {
  const { name, method, date, time, crc, packedBytes, bytes, offset } = entry
  // Those of the three that need 64 bits, in this order.
  const large = [bytes, packedBytes, offset].filter((value) => value >= MAX_32)
  const extra =
    large.length > 0
      ? new RecordWriter(4 + 8 * large.length).u16(ZIP64_FIELD, 8 * large.length).u64(...large)
          .bytes
      : new Uint8Array()
  const version = large.length > 0 ? VERSION.zip64 : VERSION.plain
  return new RecordWriter(LENGTH.entry + name.length + extra.length)
    .u32(SIGNATURE.entry)
    .u16(MADE_ON_UNIX | version, version, FLAG.descriptor | FLAG.utf8, method, time, date)
    .u32(crc, Math.min(packedBytes, MAX_32), Math.min(bytes, MAX_32))
    .u16(name.length, extra.length, 0, 0, 0)
    .u32(ATTRIBUTES, Math.min(offset, MAX_32))
    .raw(name)
    .raw(extra).bytes
}

/** The end of an archive with large numbers, and where it is. */
function end64(count: number, bytes: number, offset: number): Uint8Array {
  return new RecordWriter(LENGTH.end64 + LENGTH.end64Locator)
    .u32(SIGNATURE.end64)
    .u64(LENGTH.end64 - 12)
    .u16(MADE_ON_UNIX | VERSION.zip64, VERSION.zip64)
    .u32(0, 0)
    .u64(count, count, bytes, offset)
    .u32(SIGNATURE.end64Locator, 0)
    .u64(offset + bytes)
    .u32(1).bytes
}
