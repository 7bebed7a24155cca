/** Chooses the page that a person sees of a linked file. */
import { contentTypeOf, isActiveType } from '../../files/content-type.ts'
import type { LinkedFile } from '../../operations/links/open-link.ts'
import { byteSource } from './data/byte-source.ts'
import { parsePlace } from './data/place.ts'
import type { LineKind } from './data/read-lines.ts'
import type { WholeKind } from './data/read-whole.ts'
import type { MediaKind } from './file-page.ts'
import { pagePolicy } from './page-frame.ts'

export interface LinkedPage {
  readonly html: string
  /** Content-Security-Policy. */
  readonly policy: string
}

interface PageRequest {
  readonly file: LinkedFile
  readonly token: string
  /** Of the address. */
  readonly query: Readonly<Record<string, string>>
  /** Ends reading. */
  readonly signal: AbortSignal
  /** Whether only the headers are wanted: nothing is read then. */
  readonly isHead: boolean
}

const LINES: Readonly<Record<string, { kind: LineKind; name: string }>> = {
  'text/csv': { kind: 'csv', name: 'CSV' },
  'text/tab-separated-values': { kind: 'tsv', name: 'TSV' },
  'application/x-ndjson': { kind: 'lines', name: 'JSON lines' },
}
const WHOLE: Readonly<Record<string, { kind: WholeKind; name: string }>> = {
  'application/json': { kind: 'json', name: 'JSON' },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    kind: 'xlsx',
    name: 'XLSX',
  },
  'application/vnd.apache.parquet': { kind: 'parquet', name: 'Parquet' },
}
const TEXT = /^text\/|^application\/(?:json|geo\+json|x-ndjson|yaml|toml|sql)$/
/** Shown by browsers in pages; others of the kind are saved. */
const MEDIA = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon)|audio\/.*|video\/.*)$/

/**
 * `undefined` for files that show themselves best: PDF in the browser's own viewer, and active
 * types, which have a sandbox of their own.
 *
 * @throws {AppError} as reading the file does.
 */
export async function linkedPage(request: PageRequest): Promise<LinkedPage | undefined> {
  const type = contentTypeOf(request.file.path).split(';', 1)[0]!
  if (isActiveType(type) || type === 'application/pdf') return undefined
  const isData = Object.hasOwn(LINES, type) || Object.hasOwn(WHOLE, type)
  const media = MEDIA.test(type) ? (type.split('/', 1)[0] as MediaKind) : undefined
  const allowed = {
    ...(isData && { 'form-action': "'self'" }),
    ...(media && { [media === 'image' ? 'img-src' : 'media-src']: "'self'" }),
  }
  const policy = pagePolicy(allowed)
  if (request.isHead) return { html: '', policy }
  const html = (isData && (await tableOf(request, type))) || (await viewOf(request, type, media))
  return { html, policy }
}

/** Loaded with the first page: most requests are by programs. */
async function tableOf(request: PageRequest, type: string): Promise<string | undefined> {
  const { file, token, query, signal } = request
  const { dataPage } = await import('./data/data-page.ts')
  const place = parsePlace(query, file.info.bytes)
  const { name } = (LINES[type] ?? WHOLE[type])!
  const page = await readRows()
  if (!page) return undefined
  const shown = { ...file, token }
  const isReadable = TEXT.test(type)
  return dataPage({ file: shown, kind: name, isReadable, page, place, query: query.q ?? '' })

  async function readRows() {
    const source = byteSource(file, signal)
    const lines = LINES[type]
    if (lines) {
      const { readLines } = await import('./data/read-lines.ts')
      return readLines(source, lines.kind, place)
    }
    const { readWhole } = await import('./data/read-whole.ts')
    return readWhole(source, WHOLE[type]!.kind, place.row ?? 1)
  }
}

async function viewOf(
  { file, token, query, signal }: PageRequest,
  type: string,
  media: MediaKind | undefined,
): Promise<string> {
  const { factsPage, mediaPage, textPage } = await import('./file-page.ts')
  const shown = { ...file, token }
  if (media) return mediaPage(shown, media, type)
  if (!TEXT.test(type)) return factsPage(shown, type)
  const { at } = parsePlace(query, file.info.bytes)
  return textPage(shown, byteSource(file, signal), type, at === 'end' ? 0 : at)
}
