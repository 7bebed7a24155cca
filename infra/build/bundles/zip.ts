/** Writes zip archives: the same files always give the same bytes. */
import { crc32, deflateRawSync } from 'node:zlib'

/** A file in the archive. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The first day that the format knows, so that no build differs by its time. */
const DATE = 0x0021
const MADE_BY_UNIX = 0x0314
const NEEDS_DEFLATE = 20
const DEFLATE = 8
const UTF8_NAMES = 0x0800
/** A plain file that everybody may read: Lambda runs a function as nobody in particular. */
const MODE = 0o100644

/** For a few small files: there is no ZIP64, so all of it must stay below 4 GiB. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of entries) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const nameBytes = Buffer.from(name)
    const common = fields(
      [2, NEEDS_DEFLATE],
      [2, UTF8_NAMES],
      [2, DEFLATE],
      [2, 0],
      [2, DATE],
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
      [2, nameBytes.length],
      [2, 0],
    )
    const local = Buffer.concat([fields([4, 0x04034b50]), common, nameBytes, packed])
    const attributes = fields([2, 0], [2, 0], [2, 0], [4, MODE * 0x10000], [4, offset])
    const signature = fields([4, 0x02014b50], [2, MADE_BY_UNIX])
    directory.push(signature, common, attributes, nameBytes)
    locals.push(local)
    offset += local.length
  }
  const listing = Buffer.concat(directory)
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, listing.length],
    [4, offset],
    [2, 0],
  )
  return Buffer.concat([...locals, listing, end])
}

/** Numbers one after the other, each in so many bytes, the lowest first. */
function fields(...sizesAndValues: (readonly [2 | 4, number])[]): Buffer {
  return Buffer.concat(
    sizesAndValues.map(([size, value]) => {
      const bytes = Buffer.alloc(size)
      bytes.writeUIntLE(value, 0, size)
      return bytes
    }),
  )
}
