/** Extracts an archive: every name is checked before the first file is written. */
import { Inflate } from 'fflate'
import { crc32 } from '../../lib/crc32.ts'
import { FormatError, type ByteSource, type FormatHost } from '../format-host.ts'
import { FUEL_TO_DECOMPRESS, PACKED_PIECE_BYTES } from '../gzip.ts'
import { piecesOf, saveFile, type SavedFile } from '../save-file.ts'
import { readZipDirectory, type ZipEntry } from './zip-directory.ts'
import { LENGTH, METHOD, SIGNATURE } from './zip-records.ts'

/** Stored content is not compressed, so larger pieces take no more memory. */
const STORED_PIECE_BYTES = 65_536

/** Fuel for a file, besides its bytes. */
const FUEL_PER_FILE = 60_000

/** Each file appears complete or not at all. @throws {FormatError} */
export async function extractZip(
  host: FormatHost,
  source: ByteSource,
  folder: string,
): Promise<SavedFile[]> {
  const entries = (await readZipDirectory(source)).filter(({ isFolder }) => !isFolder)
  const targets = checkedPaths(host, source, entries, folder)
  const files: SavedFile[] = []
  for (const [i, entry] of entries.entries()) {
    await host.work(FUEL_PER_FILE)
    const content = contentOf(host, source, entry)
    const file = await saveFile(host, targets[i]!, async (output) => {
      for await (const bytes of content) await output.write(bytes)
    })
    files.push(file)
  }
  return files
}

/** Where each entry goes. */
function checkedPaths(
  host: FormatHost,
  source: ByteSource,
  entries: readonly ZipEntry[],
  folder: string,
): string[] {
  const paths = new Set<string>()
  for (const entry of entries) {
    const fail = (problem: string) => entryError(source, entry, problem)
    if (entry.isEncrypted) throw fail('it is encrypted')
    if (entry.isLink) throw fail('it is a symbolic link')
    if (entry.method !== METHOD.stored && entry.method !== METHOD.deflated) {
      throw fail(`compression method ${entry.method} is not supported`)
    }
    const path = pathOf(host, source, entry, folder)
    if (paths.has(path)) throw fail('there are two entries of this name')
    paths.add(path)
  }
  for (const [i, path] of [...paths].entries()) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (!paths.has(path.slice(0, end))) continue
      throw entryError(source, entries[i]!, 'another entry is a file and its folder')
    }
  }
  return [...paths]
}

/** The name must be a path by itself: below a folder, `/x` would be one. */
function pathOf(host: FormatHost, source: ByteSource, entry: ZipEntry, folder: string): string {
  if (entry.name === '') throw entryError(source, entry, 'path cannot be empty')
  if (entry.name.startsWith('/')) throw entryError(source, entry, 'path must be relative')
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  try {
    return host.checkSave(path)
  } catch (error) {
    const { message } = error as Error
    if (!message.startsWith('path ')) throw error
    throw entryError(source, entry, message)
  }
}

export async function* contentOf(
  host: FormatHost,
  source: ByteSource,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  const fail = (problem: string) => entryError(source, entry, problem)
  const start = await startOf(source, entry)
  const end = start + entry.packedBytes
  if (end > source.size) throw fail('the archive is cut off')
  const isStored = entry.method === METHOD.stored
  const unpack = isStored ? (piece: Uint8Array) => piece : inflating(fail)
  let crc = 0
  let bytes = 0
  let at = start
  const pieceBytes = isStored ? STORED_PIECE_BYTES : PACKED_PIECE_BYTES
  for await (const piece of piecesOf(source, start, end, pieceBytes)) {
    at += piece.length
    const unpacked = unpack(piece, at === end)
    await host.work(piece.length + unpacked.length * FUEL_TO_DECOMPRESS)
    bytes += unpacked.length
    if (bytes > entry.bytes) throw fail('it is larger than it says')
    crc = crc32(unpacked, crc)
    yield unpacked
  }
  if (bytes !== entry.bytes) throw fail('it is shorter than it says')
  if (crc !== entry.crc) throw fail('wrong checksum')
}

/** Where the content begins: after the entry's own header, which has its own length. */
async function startOf(source: ByteSource, entry: ZipEntry): Promise<number> {
  const header = await source.read(entry.offset, LENGTH.localHeader)
  const view = new DataView(header.buffer)
  const isThere =
    header.length === LENGTH.localHeader && view.getUint32(0, true) === SIGNATURE.localHeader
  if (!isThere) throw entryError(source, entry, 'its header is missing')
  return entry.offset + LENGTH.localHeader + view.getUint16(26, true) + view.getUint16(28, true)
}

function inflating(
  fail: (problem: string) => FormatError,
): (piece: Uint8Array, isLast: boolean) => Uint8Array {
  let out: Uint8Array = new Uint8Array()
  const inflate = new Inflate((bytes) => {
    out = bytes
  })
  return (piece, isLast) => {
    try {
      inflate.push(piece, isLast)
    } catch (cause) {
      throw fail(`bad data: ${(cause as Error).message}`)
    }
    return out
  }
}

function entryError({ name }: ByteSource, entry: ZipEntry, problem: string): FormatError {
  return new FormatError(`${name}: entry ${JSON.stringify(entry.name)}: ${problem}`)
}
