/** How to preview a file: its kind, by name or else by content. */
import { separatorIn } from '../../../formats/table/csv-rows.ts'

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

/** @param bytes From the start of the file. */
export function separatorOf(path: string, bytes: Uint8Array): string {
  return extensionOf(path) === 'tsv' ? '\t' : separatorIn(bytes)
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
