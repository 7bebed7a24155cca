/** How to preview a file: its kind, by name or else by content, and the rows of a CSV. */

type FileKind = 'image' | 'table' | 'json' | 'lines' | 'markdown' | 'text' | 'unknown'

/** Displayable in browsers. */
const IMAGES = new Set('svg png jpg jpeg gif webp avif bmp ico'.split(' '))
const TEXTS = new Set(
  'txt log lua html htm css js mjs ts xml yaml yml toml sql ini sh py ics vcf rtf'.split(' '),
)
const BINARIES = new Set(
  'zip gz tgz bz2 xz zst 7z tar pdf parquet sqlite wasm mp3 mp4 webm'.split(' '),
)

export function kindOf(path: string): FileKind | 'binary' {
  const extension = extensionOf(path)
  if (IMAGES.has(extension)) return 'image'
  if (extension === 'csv' || extension === 'tsv') return 'table'
  if (extension === 'json' || extension === 'geojson') return 'json'
  if (extension === 'jsonl' || extension === 'ndjson') return 'lines'
  if (extension === 'md' || extension === 'markdown') return 'markdown'
  if (BINARIES.has(extension)) return 'binary'
  return TEXTS.has(extension) ? 'text' : 'unknown'
}

export function separatorOf(path: string): string {
  return extensionOf(path) === 'tsv' ? '\t' : ','
}

/** `null` if not UTF-8 text; a truncated last character is fine. */
export function findText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}

function extensionOf(path: string): string {
  return /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Understands quotes, doubled quotes and line breaks in cells. */
export function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  let position = text.startsWith('\ufeff') ? 1 : 0

  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }

  for (; position < text.length; position++) {
    const char = text[position]!
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[position + 1] === '"') {
        cell += '"'
        position++
      } else isQuoted = false
    } else if (char === '"' && cell === '') isQuoted = true
    else if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}
