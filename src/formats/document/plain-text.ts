/** Text files as text: their encoding, and tables of CSV as Markdown. */
import { CsvBatch, ESCAPED, scanCsv, unescapeQuotes } from '../csv/scan-csv.ts'
import { FormatError } from '../format-host.ts'
import { isUtf8 } from '../../lib/utf8.ts'
import { markdownTable } from './markdown-builder.ts'

const PROBED_BYTES = 8 * 1024
/** For the name of a charset in HTML. */
const META_BYTES = 2 * 1024
const BOM = /^\ufeff/

/** @param charset Named inside the file. @throws {FormatError} if it is no text. */
export function decodeText(bytes: Uint8Array, file: string, charset?: string): string {
  const label = markedCharset(bytes) ?? charset ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  if (!label.startsWith('utf-16') && bytes.subarray(0, PROBED_BYTES).includes(0)) {
    throw new FormatError(`${file}: is neither text nor a document that can be read`)
  }
  return decoderFor(label).decode(bytes).replace(BOM, '')
}

/** As `<meta charset>` or the XML declaration says. */
export function htmlCharset(bytes: Uint8Array): string | undefined {
  const head = decoderFor('windows-1252').decode(bytes.subarray(0, META_BYTES))
  const [, charset] = /(?:charset|encoding)\s*=\s*["']?\s*([\w-]{2,30})/i.exec(head) ?? []
  return charset?.toLowerCase()
}

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Of a charset that is not known, UTF-8. */
function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

/** @throws {FormatError} with the line of bad data. */
export function csvText(text: string, isTabs: boolean, file: string): string {
  const [line = ''] = text.split('\n', 1)
  const semicolons = line.split(';').length > line.split(',').length
  const separator = isTabs ? '\t' : semicolons ? ';' : ','
  try {
    const rows = [...csvRows(new TextEncoder().encode(text), separator.charCodeAt(0))]
    return `${markdownTable(rows)}\n`
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new FormatError(`${file}: ${error.message}`)
  }
}

function* csvRows(bytes: Uint8Array, separator: number): Generator<string[]> {
  const batch = new CsvBatch()
  const decoder = new TextDecoder()
  const end = bytes.length
  for (let place = { at: 0, line: 1 }; place.at < end;) {
    const { at: start, line } = place
    place = scanCsv({ bytes, start, end, line, separator, isLast: true }, batch)
    let field = 0
    for (const rowEnd of batch.rowEnds) {
      const row: string[] = []
      for (; field < rowEnd; field++) {
        const [from, to, escaped] = batch.fields.subarray(3 * field, 3 * field + 3)
        const cell = bytes.subarray(from, to)
        row.push(decoder.decode(escaped === ESCAPED ? unescapeQuotes(cell) : cell))
      }
      yield row
    }
  }
}
