/** Writes an XLSX file while its rows come: each sheet is a stream of XML in a ZIP archive. */
import { Zip, ZipDeflate } from 'fflate'
import { FormatError, type FormatHost, type RowWriter } from '../format-host.ts'
import type { SaveTarget } from '../../files/save-target.ts'
import { escapeXml, rowXml } from './cell-xml.ts'
import { MAX_COLUMNS } from './read-sheet.ts'

const MAX_ROWS = 1_048_576
const MAX_NAME_LENGTH = 31
const LEVEL = 6
/** Deflating and making XML, per byte of XML. */
const FUEL_PER_BYTE = 10
/** The earliest date of the format, which stores local time: equal rows make equal files. */
const DATE = new Date(1980, 0, 1)

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Style 1 keeps text such as `=1+1` text when a person edits the cell. */
const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs></styleSheet>`

interface OpenSheet {
  readonly name: string
  readonly entry: ZipDeflate
  rows: number
  columns: readonly string[] | undefined
}

/** Of the rows it gets, a string begins the sheet of that name. */
export function xlsxWriter(host: FormatHost, path: string, columns: unknown): RowWriter {
  const wanted = columnsOf(columns)
  const target = host.openSave(path)
  const out = new ZipOutput(target)
  const names: string[] = []
  let sheet: OpenSheet | undefined

  const send = async (entry: ZipDeflate, text: string, isLast = false) => {
    const bytes = new TextEncoder().encode(text)
    entry.push(bytes, isLast)
    await host.work(bytes.length * FUEL_PER_BYTE)
    await out.flush()
  }
  const addPart = async (name: string, text: string) => send(out.add(name), text, true)
  const endSheet = async () => {
    if (sheet) await send(sheet.entry, '</sheetData></worksheet>', true)
    sheet = undefined
  }
  const beginSheet = async (name: string) => {
    assertName(name, names)
    await endSheet()
    names.push(name)
    const entry = out.add(`xl/worksheets/sheet${names.length}.xml`)
    sheet = { name, entry, rows: 0, columns: wanted }
    await send(entry, `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`)
    if (wanted) await send(entry, nextRow(sheet, wanted))
  }

  return {
    async write(rows) {
      let xml = ''
      for (const row of rows) {
        if (typeof row === 'string') {
          if (sheet) await send(sheet.entry, xml)
          xml = ''
          await beginSheet(row)
        } else if (sheet) xml += rowsFor(sheet, row)
      }
      if (sheet && xml !== '') await send(sheet.entry, xml)
    },

    async close() {
      if (names.length === 0) await beginSheet('Sheet1')
      await endSheet()
      await addPart('xl/styles.xml', STYLES)
      await addPart('xl/workbook.xml', workbookXml(names))
      await addPart('xl/_rels/workbook.xml.rels', workbookLinks(names))
      await addPart('_rels/.rels', links([['rId1', 'officeDocument', 'xl/workbook.xml']]))
      await addPart('[Content_Types].xml', contentTypes(names))
      out.end()
      await out.flush()
      await target.close()
      return null
    },

    abort: () => target.abort(),
  }
}

/** Collects what the archive gives, which is synchronous, for the file. */
class ZipOutput {
  readonly #zip: Zip
  readonly #target: SaveTarget
  #pieces: Uint8Array[] = []

  constructor(target: SaveTarget) {
    this.#target = target
    this.#zip = new Zip((error, piece) => {
      if (error) throw error
      this.#pieces.push(piece)
    })
  }

  add(name: string): ZipDeflate {
    const entry = new ZipDeflate(name, { level: LEVEL })
    entry.mtime = DATE
    this.#zip.add(entry)
    return entry
  }

  end(): void {
    this.#zip.end()
  }

  async flush(): Promise<void> {
    const pieces = this.#pieces
    this.#pieces = []
    for (const piece of pieces) await this.#target.write(piece)
  }
}

/** With the header before the first row of a table with names. */
function rowsFor(sheet: OpenSheet, row: unknown): string {
  const list = listOf(row)
  if (list) return nextRow(sheet, list)
  const fields = row as Readonly<Record<string, unknown>>
  let header = ''
  if (!sheet.columns) {
    sheet.columns = Object.keys(fields)
    header = nextRow(sheet, sheet.columns)
  }
  const { columns } = sheet
  const unknown = Object.keys(fields).find((name) => !columns.includes(name))
  if (unknown !== undefined) {
    const place = `sheet ${JSON.stringify(sheet.name)}, row ${sheet.rows + 1}`
    throw new FormatError(
      `${place}: no column is named ${JSON.stringify(unknown)}; give all names as columns`,
    )
  }
  return (
    header +
    nextRow(
      sheet,
      columns.map((name) => fields[name]),
    )
  )
}

function nextRow(sheet: OpenSheet, cells: readonly unknown[]): string {
  const number = ++sheet.rows
  const place = () => `sheet ${JSON.stringify(sheet.name)}, row ${number}`
  if (number > MAX_ROWS) throw new FormatError(`${place()}: a sheet has at most ${MAX_ROWS} rows`)
  if (cells.length > MAX_COLUMNS) {
    throw new FormatError(`${place()}: a sheet has at most ${MAX_COLUMNS} columns`)
  }
  return rowXml(cells, number, place)
}

/** A table with gaps comes with its numbers as names. */
function listOf(row: unknown): readonly unknown[] | undefined {
  if (Array.isArray(row)) return row
  if (typeof row !== 'object' || row === null) {
    throw new FormatError('a row must be a table of cells')
  }
  const entries = Object.entries(row)
  if (!entries.every(([name]) => /^[1-9]\d{0,5}$/.test(name))) return undefined
  const cells: unknown[] = []
  for (const [name, value] of entries) if (Number(name) <= MAX_COLUMNS) cells[+name - 1] = value
  return Array.from(cells)
}

function columnsOf(columns: unknown): readonly string[] | undefined {
  if (columns === undefined || columns === null) return undefined
  const isList = Array.isArray(columns) && columns.every((name) => typeof name === 'string')
  if (isList) return columns as string[]
  throw new FormatError('columns must be a list of names')
}

/** Excel's own rules; it refuses files that break them. */
function assertName(name: string, names: readonly string[]): void {
  const quoted = JSON.stringify(name)
  if (name === '' || [...name].length > MAX_NAME_LENGTH) {
    throw new FormatError(`sheet ${quoted}: a name has 1 to ${MAX_NAME_LENGTH} characters`)
  }
  // oxlint-disable-next-line no-control-regex
  if (/[[\]:*?/\\\0-\x1f]|^'|'$/.test(name)) {
    throw new FormatError(
      `sheet ${quoted}: a name cannot contain [ ] : * ? / \\ or quotes around it`,
    )
  }
  if (names.some((other) => other.toLowerCase() === name.toLowerCase())) {
    throw new FormatError(`sheet ${quoted}: there are two of this name`)
  }
}

function workbookXml(names: readonly string[]): string {
  const sheets = names.map(
    (name, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  )
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`
}

function workbookLinks(names: readonly string[]): string {
  const sheets = names.map(
    (_, i) => [`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`] as const,
  )
  return links([...sheets, [`rId${names.length + 1}`, 'styles', 'styles.xml']])
}

function links(rows: readonly (readonly [string, string, string])[]): string {
  const each = rows.map(
    ([id, kind, target]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  )
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`
}

function contentTypes(names: readonly string[]): string {
  const sheets = names.map(
    (_, i) =>
      `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  )
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${sheets.join('')}</Types>`
}
