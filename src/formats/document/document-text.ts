/** The text of a document as Markdown, whatever its format is. */
import { FormatError, type ByteSource, type FormatHost } from '../format-host.ts'
import { assertNoOldOffice } from '../office/old-office.ts'
import { ZipParts } from '../office/zip-parts.ts'
import { parsePages } from './pages.ts'
import { csvText, decodeText, htmlCharset } from './plain-text.ts'
import { TextRoom } from './text-room.ts'

/** Unpacked, of what a file may have. */
const MAX_GROWTH = 8
const HEAD_BYTES = 1024
const FUEL_PER_CHARACTER = 20

/** @param pages Such as "1-3". @throws {FormatError} */
export async function documentText(
  source: ByteSource,
  host: FormatHost,
  pages: unknown,
): Promise<string> {
  const wants = parsePages(pages)
  const { name, size } = source
  if (size > host.parseBytes) {
    throw new FormatError(
      `${name}: documents of up to ${host.parseBytes} bytes are read, and this has ${size}`,
    )
  }
  await assertNoOldOffice(source)
  const room = new TextRoom(name, host.parseBytes)
  const head = startOf(await source.read(0, Math.min(size, HEAD_BYTES)))
  if (head.includes('%PDF-')) {
    const { pdfText } = await import('./pdf/pdf-text.ts')
    return pdfText(await source.read(0, size), host, room, wants, name)
  }
  if (head.startsWith('PK\x03\x04')) return packedText(source, host, room, pages)
  if (pages !== undefined && pages !== null) throw withoutPages(name)
  return flatText(await source.read(0, size), name, host, room)
}

async function packedText(
  source: ByteSource,
  host: FormatHost,
  room: TextRoom,
  pages: unknown,
): Promise<string> {
  const { name } = source
  const wants = parsePages(pages)
  const parts = await ZipParts.open(source, host, MAX_GROWTH * host.parseBytes)
  const holds = (folder: string) => parts.names.some((part) => part.startsWith(folder))
  if (holds('word/')) {
    if (pages !== undefined && pages !== null) throw withoutPages(name)
    const { docxText } = await import('./docx-text.ts')
    return docxText(parts, room, name)
  }
  if (holds('ppt/')) {
    const { pptxText } = await import('./pptx-text.ts')
    return pptxText(parts, room, wants, name)
  }
  if (holds('xl/')) {
    const { xlsxText } = await import('./xlsx-text.ts')
    return xlsxText(source, host, room, wants)
  }
  if (parts.has('META-INF/container.xml')) {
    const { epubText } = await import('./epub-text.ts')
    return epubText(parts, host, room, wants, name)
  }
  throw new FormatError(`${name}: is an archive, but not DOCX, XLSX, PPTX or EPUB`)
}

async function flatText(
  bytes: Uint8Array,
  name: string,
  host: FormatHost,
  room: TextRoom,
): Promise<string> {
  const kind = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const isHtml =
    /^x?html?$/.test(kind) || /^\s*(?:\ufeff)?<(?:!doctype html|html)\b/i.test(startOf(bytes))
  const text = decodeText(bytes, name, isHtml ? htmlCharset(bytes) : undefined)
  if (text.startsWith('{\\rtf')) throw new FormatError(`${name}: RTF documents are not read`)
  await host.work(text.length * FUEL_PER_CHARACTER)
  if (isHtml) {
    const { htmlText } = await import('./html/html-text.ts')
    return htmlText(text, room)
  }
  return kind === 'csv' || kind === 'tsv' ? csvText(text, kind === 'tsv', name) : text
}

function withoutPages(name: string): FormatError {
  return new FormatError(`${name}: has no pages to choose from`)
}

function startOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, HEAD_BYTES))
}
