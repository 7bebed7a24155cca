/** Reads the parts of an Office document or EPUB, which is a ZIP archive, within limits. */
import { FormatError, type ByteSource, type FormatHost } from '../format-host.ts'
import { contentOf } from '../zip/extract-zip.ts'
import { readZipDirectory, type ZipEntry } from '../zip/zip-directory.ts'
import { METHOD } from '../zip/zip-records.ts'
import { XmlScanner, type XmlToken } from './xml-scanner.ts'

/** Fuel per character. */
const FUEL_TO_SCAN = 6
const UTF_16 = [0xfeff, 0xfffe]

export class ZipParts {
  readonly #source: ByteSource
  readonly #host: FormatHost
  readonly #parts: ReadonlyMap<string, ZipEntry>
  #bytesLeft: number

  private constructor(
    source: ByteSource,
    host: FormatHost,
    parts: ReadonlyMap<string, ZipEntry>,
    maxBytes: number,
  ) {
    this.#source = source
    this.#host = host
    this.#parts = parts
    this.#bytesLeft = maxBytes
  }

  /**
   * @param maxBytes Of all parts that are read, unpacked.
   * @throws {FormatError} if it is no archive.
   */
  static async open(source: ByteSource, host: FormatHost, maxBytes: number): Promise<ZipParts> {
    const parts = new Map<string, ZipEntry>()
    for (const entry of await entriesOf(source)) {
      // The first counts: of two parts with one name, every reader could take another.
      if (!parts.has(partName(entry.name))) parts.set(partName(entry.name), entry)
    }
    return new ZipParts(source, host, parts, maxBytes)
  }

  get names(): readonly string[] {
    return [...this.#parts.keys()]
  }

  has(name: string): boolean {
    return this.#parts.has(partName(name))
  }

  /**
   * The text of a part, piece by piece.
   *
   * @throws {FormatError} if it is missing, encrypted, damaged, or all parts are too large
   * together.
   */
  async *textPieces(name: string): AsyncGenerator<string> {
    const part = this.#parts.get(partName(name))
    if (!part) throw this.#problem(`has no ${partName(name)}`)
    if (part.isEncrypted) throw this.#problem('is encrypted and needs a password')
    if (part.method !== METHOD.stored && part.method !== METHOD.deflated) {
      throw this.#problem(`${partName(name)} is packed by an unknown method (${part.method})`)
    }
    let decoder: TextDecoder | undefined
    for await (const piece of contentOf(this.#host, this.#source, part)) {
      this.#bytesLeft -= piece.length
      if (this.#bytesLeft < 0) throw this.#problem('unpacks to more than may be read')
      decoder ??= decoderFor(piece)
      yield decoder.decode(piece, { stream: true })
    }
    yield decoder?.decode() ?? ''
  }

  /** The tags and texts of a part, some at a time. @throws {FormatError} also for broken XML. */
  async *xml(name: string): AsyncGenerator<readonly XmlToken[]> {
    const scanner = new XmlScanner(`${this.#source.name}: ${partName(name)}`)
    for await (const piece of this.textPieces(name)) {
      await this.#host.work(piece.length * FUEL_TO_SCAN)
      yield scanner.scan(piece)
    }
    yield scanner.scan('', true)
  }

  async text(name: string): Promise<string> {
    const pieces: string[] = []
    for await (const piece of this.textPieces(name)) pieces.push(piece)
    return pieces.join('')
  }

  #problem(text: string): FormatError {
    return new FormatError(`${this.#source.name}: ${text}`)
  }
}

async function entriesOf(source: ByteSource): Promise<readonly ZipEntry[]> {
  try {
    return await readZipDirectory(source)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(`${source.name}: is damaged or cut off`, { cause })
  }
}

/** Some writers begin names with a slash or use backslashes. */
function partName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '')
}

function decoderFor({ buffer, byteOffset, byteLength }: Uint8Array): TextDecoder {
  const mark = byteLength >= 2 ? new DataView(buffer, byteOffset, 2).getUint16(0) : 0
  if (!UTF_16.includes(mark)) return new TextDecoder()
  return new TextDecoder(mark === 0xfeff ? 'utf-16be' : 'utf-16le')
}
