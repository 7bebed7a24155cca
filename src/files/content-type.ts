/** Content types: by the name of a file, and those a browser would execute. */

// Text is declared as UTF-8: otherwise browsers guess the encoding of a file opened from the store.
const TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  lua: 'text/x-lua; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
  vcf: 'text/vcard; charset=utf-8',

  json: 'application/json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  geojson: 'application/geo+json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  sql: 'application/sql',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
  wasm: 'application/wasm',

  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  tif: 'image/tiff',
  tiff: 'image/tiff',

  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',

  pdf: 'application/pdf',
  rtf: 'application/rtf',
  epub: 'application/epub+zip',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',

  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
  bz2: 'application/x-bzip2',
  xz: 'application/x-xz',
  zst: 'application/zstd',
  '7z': 'application/x-7z-compressed',
}

/** Text that browsers save instead of showing it. */
const SAVED =
  /^(?:text\/(?:csv|tab-separated-values)|application\/(?:x-ndjson|yaml|toml|sql|geo\+json))/

/** For a browser: data opens as plain text. */
export function shownTypeOf(path: string): string {
  const type = contentTypeOf(path)
  return SAVED.test(type) ? TYPES.txt! : type
}

/** By the last extension, ignoring case; `application/octet-stream` if unknown. */
export function contentTypeOf(path: string): string {
  const extension = /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(TYPES, extension)
    ? TYPES[extension]!
    : 'application/octet-stream'
}

/**
 * HTML, scripts and any XML, which can embed both. Not PDF: its viewer is already a sandbox and
 * does not load inside another.
 */
export function isActiveType(contentType: string): boolean {
  const essence = contentType.split(';', 1)[0]!.trim().toLowerCase()
  return /^text\/(?:html|xsl)$|[/+]xml$|(?:java|ecma)script$/.test(essence)
}
