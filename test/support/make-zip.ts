/** Archives with anything wrong that a test wants. */
import { crc32 } from '../../src/lib/crc32.ts'
import { LENGTH, RecordWriter, SIGNATURE } from '../../src/formats/zip/zip-records.ts'

export interface MadeEntry {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly flags?: number
  readonly method?: number
  /** Of Unix, such as that of a symbolic link. */
  readonly mode?: number
  readonly crc?: number
  /** As the list of files says. */
  readonly bytes?: number
  readonly packedBytes?: number
  readonly offset?: number
}

const encoder = new TextEncoder()
const bytesOf = (value: string | Uint8Array) =>
  typeof value === 'string' ? encoder.encode(value) : value

/** Content is stored as it is given. */
export function makeZip(
  entries: readonly MadeEntry[],
  { comment = '', count = entries.length } = {},
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  const add = (part: Uint8Array) => {
    parts.push(part)
    offset += part.length
  }
  for (const entry of entries) {
    const name = bytesOf(entry.name)
    const content = bytesOf(entry.content ?? '')
    const { flags = 0, method = 0, mode = 0o100644, crc = crc32(content) } = entry
    const { bytes = content.length, packedBytes = content.length } = entry
    const at = entry.offset ?? offset
    add(
      new RecordWriter(LENGTH.localHeader + name.length)
        .u32(SIGNATURE.localHeader)
        .u16(20, flags, method, 0, 0x21)
        .u32(crc, packedBytes, bytes)
        .u16(name.length, 0)
        .raw(name).bytes,
    )
    add(content)
    directory.push(
      new RecordWriter(LENGTH.entry + name.length)
        .u32(SIGNATURE.entry)
        .u16((3 << 8) | 20, 20, flags, method, 0, 0x21)
        .u32(crc, packedBytes, bytes)
        .u16(name.length, 0, 0, 0, 0)
        .u32((mode << 16) >>> 0, at)
        .raw(name).bytes,
    )
  }
  const start = offset
  for (const part of directory) add(part)
  const note = encoder.encode(comment)
  add(
    new RecordWriter(LENGTH.end + note.length)
      .u32(SIGNATURE.end)
      .u16(0, 0, count, count)
      .u32(offset - start, start)
      .u16(note.length)
      .raw(note).bytes,
  )
  return joined(parts)
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
