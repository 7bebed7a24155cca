/** The text of a PDF file, page by page, with what its layout says about headings and lists. */
import { FormatError, type FormatHost } from '../../format-host.ts'
import { loadPdfReader } from './pdf-reader.ts'
import { pdfLines, type PdfLine, type TextItem } from './pdf-lines.ts'
import { pagesMarkdown } from './pdf-markdown.ts'
import { joinPages, type WantsPage } from '../pages.ts'
import type { TextRoom } from '../text-room.ts'

/** Opening and decoding; a page's fonts and operators are parsed for its text. */
const FUEL_PER_BYTE = 30
const FUEL_PER_PAGE = 500_000
const FUEL_PER_ITEM = 2_000

/** @throws {FormatError} if it is encrypted, damaged or has no text. */
export async function pdfText(
  bytes: Uint8Array<ArrayBuffer>,
  host: Pick<FormatHost, 'work'>,
  room: TextRoom,
  wants: WantsPage,
  file: string,
): Promise<string> {
  await host.work(bytes.length * FUEL_PER_BYTE)
  const { getDocumentProxy } = await loadPdfReader()
  const document = await getDocumentProxy(bytes, {
    // Nothing is shown or fetched.
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
  }).catch((cause: unknown) => {
    throw problemOf(cause, file)
  })
  try {
    const count = document.numPages
    const pages: [number, PdfLine[]][] = []
    for (let number = 1; number <= count; number++) {
      if (!wants(number)) continue
      await host.work(FUEL_PER_PAGE)
      const lines = await linesOf(document, number, file)
      room.take(lines.reduce((sum, { text }) => sum + text.length, 0))
      await host.work(lines.length * FUEL_PER_ITEM)
      pages.push([number, lines])
    }
    if (pages.length > 0 && pages.every(([, lines]) => lines.length === 0)) {
      throw new FormatError(
        `${file}: has no text${pages.length < count ? ' on these pages' : ''}; it may be scanned, and pictures are not read`,
      )
    }
    return joinPages(pagesMarkdown(pages), count, file)
  } finally {
    await document.loadingTask.destroy()
  }
}

type Document = Awaited<ReturnType<Awaited<ReturnType<typeof loadPdfReader>>['getDocumentProxy']>>

async function linesOf(document: Document, number: number, file: string): Promise<PdfLine[]> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return pdfLines(items.filter((item): item is TextItem & typeof item => 'str' in item))
  } catch (cause) {
    throw new FormatError(`${file}: page ${number} is damaged`, { cause })
  }
}

function problemOf(cause: unknown, file: string): Error {
  if (cause instanceof FormatError) return cause
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'PasswordException') {
    return new FormatError(`${file}: is encrypted and needs a password`, { cause })
  }
  return new FormatError(`${file}: is damaged, or is not a PDF`, { cause })
}
