/** Opens an XLSX file: its sheets, and what their cells refer to. */
import { FormatError, type ByteSource, type FormatHost } from '../format-host.ts'
import { assertNoOldOffice } from '../office/old-office.ts'
import { relationshipsOf, type Relationship } from '../office/relationships.ts'
import { attributeOf } from '../office/xml-scanner.ts'
import { ZipParts } from '../office/zip-parts.ts'
import { numberKind, type NumberKind } from './dates.ts'
import { readSharedStrings } from './shared-strings.ts'

/** Sheets are read piece by piece, so that they may be much larger than the file. */
const MAX_GROWTH = 64

export interface Sheet {
  readonly name: string
  readonly part: string
}

export interface Workbook {
  readonly parts: ZipParts
  readonly sheets: readonly Sheet[]
  readonly is1904: boolean
  /** Loaded with the first sheet that is read. */
  loadCells(): Promise<CellContext>
}

export interface CellContext {
  readonly strings: readonly string[]
  /** By the cell's style. */
  readonly kinds: readonly NumberKind[]
}

/** @throws {FormatError} */
export async function openWorkbook(source: ByteSource, host: FormatHost): Promise<Workbook> {
  if (source.size > host.parseBytes) {
    throw new FormatError(
      `${source.name}: XLSX files of up to ${host.parseBytes} bytes are read, and this has ${source.size}`,
    )
  }
  await assertNoOldOffice(source)
  const parts = await ZipParts.open(source, host, MAX_GROWTH * host.parseBytes)
  const [main] = (await relationshipsOf(parts, '')).filter(({ kind }) => kind === 'officeDocument')
  const name = main?.target ?? 'xl/workbook.xml'
  if (!parts.has(name)) throw new FormatError(`${source.name}: is not an XLSX file`)
  const links = await relationshipsOf(parts, name)
  const { sheets, is1904 } = await readWorkbook(parts, name, links)
  const find = (kind: string) => links.find((link) => link.kind === kind)?.target
  return {
    parts,
    sheets,
    is1904,
    loadCells: async () => ({
      strings: await readSharedStrings(parts, find('sharedStrings'), host.parseBytes, source.name),
      kinds: await readStyles(parts, find('styles')),
    }),
  }
}

/** By name or by position, from 1; the first if neither is given. @throws {FormatError} */
export function findSheet({ sheets }: Workbook, wanted: unknown, file: string): Sheet {
  const names = sheets.map(({ name }) => JSON.stringify(name)).join(', ')
  if (sheets.length === 0) throw new FormatError(`${file}: has no sheets`)
  const isPosition = typeof wanted === 'number'
  const found = isPosition
    ? sheets[wanted - 1]
    : sheets.find(({ name }) => wanted === null || wanted === undefined || name === wanted)
  if (found) return found
  const asked = isPosition ? `sheet ${wanted}` : `sheet ${JSON.stringify(wanted)}`
  throw new FormatError(`${file}: has no ${asked}; it has ${names}`)
}

async function readWorkbook(parts: ZipParts, name: string, links: readonly Relationship[]) {
  const sheets: Sheet[] = []
  let is1904 = false
  for await (const tokens of parts.xml(name)) {
    for (const token of tokens) {
      if (token.kind !== 'open') continue
      const attribute = (which: string) => attributeOf(token.attributes, which)
      if (token.name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
      if (token.name !== 'sheet') continue
      const id = attribute('id')
      const link = links.find((each) => each.id === id && each.kind === 'worksheet')
      // Charts and macros have sheets too, without cells.
      if (link && parts.has(link.target)) {
        sheets.push({ name: attribute('name') ?? '', part: link.target })
      }
    }
  }
  return { sheets, is1904 }
}

async function readStyles(parts: ZipParts, part: string | undefined): Promise<NumberKind[]> {
  if (part === undefined || !parts.has(part)) return []
  const codes = new Map<number, string>()
  const kinds: NumberKind[] = []
  let isInCells = false
  for await (const tokens of parts.xml(part)) {
    for (const token of tokens) {
      if (token.kind === 'text') continue
      if (token.name === 'cellXfs') isInCells = token.kind === 'open' && !token.isEmpty
      if (token.kind === 'close') continue
      const attribute = (which: string) => attributeOf(token.attributes, which)
      if (token.name === 'numFmt') {
        codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
      } else if (token.name === 'xf' && isInCells) {
        const format = Number(attribute('numFmtId') ?? 0)
        kinds.push(numberKind(format, codes.get(format)))
      }
    }
  }
  return kinds
}
