/** Reads the list of files of a ZIP archive by ranges, never the archive itself. */
import { FormatError, type ByteSource } from '../format-host.ts'
import { FLAG, LENGTH, MAX_16, MAX_32, SIGNATURE, ZIP64_FIELD } from './zip-records.ts'

const MAX_COMMENT_BYTES = MAX_16
/** In memory at once. */
const MAX_DIRECTORY_BYTES = 8_388_608
const MAX_ENTRIES = 100_000
const UNIX = 3
const FILE_TYPE = 0o170000
const SYMBOLIC_LINK = 0o120000

/** What names without UTF-8 are in: the upper half of code page 437. */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌' +
  '█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface ZipEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly isEncrypted: boolean
  readonly isLink: boolean
  readonly method: number
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  /** Of MS-DOS. */
  readonly date: number
  readonly time: number
  /** Of its header in the archive. */
  readonly offset: number
}

interface Directory {
  readonly count: number
  readonly bytes: number
  readonly offset: number
  /** Where the record after the directory begins. */
  readonly end: number
}

/** @throws {FormatError} */
export async function readZipDirectory(source: ByteSource): Promise<ZipEntry[]> {
  const { count, bytes, offset, end } = await findDirectory(source)
  // Bytes in front of the archive move everything.
  const moved = end - bytes - offset
  if (moved < 0) throw bad(source, 'the list of files is cut off')
  if (count > MAX_ENTRIES) throw bad(source, `more than ${MAX_ENTRIES} entries`)
  if (bytes > MAX_DIRECTORY_BYTES) {
    throw bad(source, `the list of files is longer than ${MAX_DIRECTORY_BYTES} bytes`)
  }
  const directory = await source.read(end - bytes, bytes)
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count;) {
    const { entry, length } = entryAt(source, directory, at, moved, entries.length + 1)
    entries.push(entry)
    at += length
  }
  return entries
}

async function findDirectory(source: ByteSource): Promise<Directory> {
  const tailBytes = Math.min(source.size, LENGTH.end + MAX_COMMENT_BYTES)
  const start = source.size - tailBytes
  const tail = await source.read(start, tailBytes)
  const view = viewOf(tail)
  for (let at = tail.length - LENGTH.end; at >= 0; at--) {
    if (view.getUint32(at, true) !== SIGNATURE.end) continue
    const isWhole = at + LENGTH.end + view.getUint16(at + 20, true) <= tail.length
    if (!isWhole) continue
    if (view.getUint16(at + 4, true) !== 0 && view.getUint16(at + 4, true) !== MAX_16) {
      throw bad(source, 'archives in several parts are not supported')
    }
    const end = start + at
    const found = {
      count: view.getUint16(at + 10, true),
      bytes: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
      end,
    }
    return (await findEnd64(source, end)) ?? found
  }
  throw bad(source, source.size === 0 ? 'the file is empty' : 'there is no end of an archive')
}

/** `null` in archives without large numbers. */
async function findEnd64(source: ByteSource, end: number): Promise<Directory | null> {
  const at = end - LENGTH.end64Locator
  if (at < 0) return null
  const locator = viewOf(await source.read(at, LENGTH.end64Locator))
  if (locator.getUint32(0, true) !== SIGNATURE.end64Locator) return null
  // Before the locator, unless bytes in front of the archive moved it.
  for (const place of [Number(locator.getBigUint64(8, true)), at - LENGTH.end64]) {
    if (place < 0 || place + LENGTH.end64 > at) continue
    const view = viewOf(await source.read(place, LENGTH.end64))
    if (view.getUint32(0, true) !== SIGNATURE.end64) continue
    const numberAt = (offset: number) => Number(view.getBigUint64(offset, true))
    return { count: numberAt(32), bytes: numberAt(40), offset: numberAt(48), end: place }
  }
  throw bad(source, 'the end of the archive is damaged')
}

function entryAt(
  source: ByteSource,
  directory: Uint8Array,
  at: number,
  moved: number,
  number: number,
): { entry: ZipEntry; length: number } {
  const view = viewOf(directory)
  const damaged = () => bad(source, `entry ${number} in the list of files is damaged`)
  if (at + LENGTH.entry > directory.length) throw damaged()
  if (view.getUint32(at, true) !== SIGNATURE.entry) throw damaged()
  const u16 = (offset: number) => view.getUint16(at + offset, true)
  const u32 = (offset: number) => view.getUint32(at + offset, true)
  const nameEnd = at + LENGTH.entry + u16(28)
  const extraEnd = nameEnd + u16(30)
  const end = extraEnd + u16(32)
  if (end > directory.length) throw damaged()

  const flags = u16(8)
  const name = textOf(directory.subarray(at + LENGTH.entry, nameEnd))
  const large = largeNumbers(directory.subarray(nameEnd, extraEnd))
  const wide = (value: number) => (value === MAX_32 ? (large.shift() ?? value) : value)
  // In the order of the ZIP64 field.
  const bytes = wide(u32(24))
  const packedBytes = wide(u32(20))
  const offset = wide(u32(42)) + moved
  const mode = u16(4) >> 8 === UNIX ? u32(38) >>> 16 : 0
  const entry = {
    name,
    isFolder: name.endsWith('/'),
    isEncrypted: (flags & FLAG.encrypted) !== 0,
    isLink: (mode & FILE_TYPE) === SYMBOLIC_LINK,
    method: u16(10),
    crc: u32(16),
    packedBytes,
    bytes,
    date: u16(14),
    time: u16(12),
    offset,
  }
  return { entry, length: end - at }
}

/** The values of the ZIP64 field, if there is one. */
function largeNumbers(extra: Uint8Array): number[] {
  const view = viewOf(extra)
  for (let at = 0; at + 4 <= extra.length;) {
    const length = view.getUint16(at + 2, true)
    const end = Math.min(at + 4 + length, extra.length)
    if (view.getUint16(at, true) === ZIP64_FIELD) {
      const numbers: number[] = []
      for (let place = at + 4; place + 8 <= end; place += 8) {
        numbers.push(Number(view.getBigUint64(place, true)))
      }
      return numbers
    }
    at = end
  }
  return []
}

function textOf(name: Uint8Array): string {
  try {
    return strictUtf8.decode(name)
  } catch {
    return Array.from(name, (byte) =>
      byte < 128 ? String.fromCharCode(byte) : CODE_PAGE_437[byte - 128]!,
    ).join('')
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function bad(source: ByteSource, problem: string): FormatError {
  return new FormatError(`${source.name}: not a ZIP archive: ${problem}`)
}
