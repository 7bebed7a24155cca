/** Reads the rows of a sheet, piece by piece. */
import { FormatError } from '../format-host.ts'
import { attributeOf, type XmlToken } from '../office/xml-scanner.ts'
import { isoOfSerial } from './dates.ts'
import { decodeEscapes } from './shared-strings.ts'
import type { CellContext, Sheet, Workbook } from './workbook.ts'

export const MAX_COLUMNS = 16_384
/** Few: a row with only its last cell has all the empty ones before it. */
const BATCH_CELLS = 4_096
/** Far more than Excel stores. */
const MAX_CELL_LENGTH = 1_048_576
const A = 64
const LETTERS = 26
const MAX_SAFE_DIGITS = 15
const INT64 = 2n ** 63n

/** `null` is an empty cell. Integers that JavaScript's numbers cannot hold are bigints. */
export type CellValue = string | number | bigint | boolean | null

/** Rows with cells, in batches; rows without any are left out. @throws {FormatError} */
export async function* readSheet(
  workbook: Workbook,
  sheet: Sheet,
  file: string,
): AsyncGenerator<CellValue[][]> {
  const cells = await workbook.loadCells()
  const rows = new SheetRows(cells, workbook.is1904, `${file}, sheet ${JSON.stringify(sheet.name)}`)
  for await (const tokens of workbook.parts.xml(sheet.part)) {
    for (const token of tokens) {
      rows.take(token)
      if (rows.finishedCells > BATCH_CELLS) yield rows.takeFinished()
    }
  }
  if (rows.finishedCells > 0) yield rows.takeFinished()
  if (!rows.isComplete) throw new FormatError(`${file}: sheet ${sheet.name} is cut off`)
}

interface Cell {
  readonly column: number
  readonly type: string
  readonly style: number
  readonly text: string[]
  length: number
}

class SheetRows {
  readonly #context: CellContext
  readonly #is1904: boolean
  readonly #place: string
  /** Of the rows to take. */
  finishedCells = 0
  #finished: CellValue[][] = []
  #row: CellValue[] | undefined
  #cell: Cell | undefined
  #column = -1
  #isValue = false
  #rowNumber = 0
  #isOver = false

  constructor(context: CellContext, is1904: boolean, place: string) {
    this.#context = context
    this.#is1904 = is1904
    this.#place = place
  }

  /** Whether the sheet's end was seen. */
  get isComplete(): boolean {
    return this.#isOver
  }

  takeFinished(): CellValue[][] {
    const finished = this.#finished
    this.#finished = []
    this.finishedCells = 0
    return finished
  }

  take(token: XmlToken): void {
    if (token.kind === 'text') {
      if (this.#isValue) this.#addText(token.text)
      return
    }
    const isOpen = token.kind === 'open'
    const isClosed = !isOpen || token.isEmpty
    switch (token.name) {
      case 'row':
        if (isOpen) this.#startRow(token.attributes)
        if (isClosed) this.#endRow()
        break
      case 'c':
        if (isOpen) this.#startCell(token.attributes)
        if (isClosed) this.#endCell()
        break
      case 'v':
      case 't':
        this.#isValue = !isClosed
        break
      case 'sheetData':
      case 'worksheet':
        if (isClosed) this.#isOver = true
        break
      default:
    }
  }

  #addText(text: string): void {
    if (!this.#cell) return
    this.#cell.text.push(text)
    this.#cell.length += text.length
    if (this.#cell.length <= MAX_CELL_LENGTH) return
    throw new FormatError(`${this.#place}, row ${this.#rowNumber}: has a cell that is too long`)
  }

  #startRow(attributes: string): void {
    this.#rowNumber = Number(attributeOf(attributes, 'r') ?? this.#rowNumber + 1)
    this.#row = []
    this.#column = -1
  }

  #endRow(): void {
    if (this.#row && this.#row.length > 0) {
      this.#finished.push(this.#row)
      this.finishedCells += this.#row.length
    }
    this.#row = undefined
  }

  #startCell(attributes: string): void {
    const name = attributeOf(attributes, 'r')
    const column = name === undefined ? this.#column + 1 : columnOf(name)
    this.#column = column
    if (!(column >= 0 && column < MAX_COLUMNS)) {
      throw new FormatError(`${this.#place}, row ${this.#rowNumber}: has no column ${name ?? ''}`)
    }
    this.#cell = {
      column,
      type: attributeOf(attributes, 't') ?? 'n',
      style: Number(attributeOf(attributes, 's') ?? 0),
      text: [],
      length: 0,
    }
  }

  #endCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    this.#isValue = false
    if (!cell || !this.#row) return
    const value = this.#valueOf(cell)
    if (value === null) return
    while (this.#row.length < cell.column) this.#row.push(null)
    this.#row[cell.column] = value
  }

  #valueOf({ type, style, text: pieces }: Cell): CellValue {
    const text = pieces.join('')
    if (text === '') return null
    if (type === 'n') return this.#numberOf(text, style)
    if (type === 'b') return text.trim() === '1' || text.trim() === 'true'
    if (type !== 's') return decodeEscapes(text)
    const found = this.#context.strings[Number(text)]
    if (found !== undefined) return found === '' ? null : found
    throw new FormatError(`${this.#place}, row ${this.#rowNumber}: refers to a missing text`)
  }

  #numberOf(text: string, style: number): CellValue {
    const trimmed = text.trim()
    const value = Number(trimmed)
    if (trimmed === '' || Number.isNaN(value)) return text
    const kind = this.#context.kinds[style] ?? 'number'
    if (kind !== 'number') return isoOfSerial(value, kind, this.#is1904) ?? value
    if (trimmed.length <= MAX_SAFE_DIGITS || !/^-?\d{1,19}$/.test(trimmed)) return value
    const exact = BigInt(trimmed)
    return exact >= -INT64 && exact < INT64 && !Number.isSafeInteger(value) ? exact : value
  }
}

/** `BC7` is column 54, from 0. */
function columnOf(name: string): number {
  let column = 0
  for (let i = 0; i < name.length; i++) {
    const letter = name.charCodeAt(i) & ~0x20
    if (letter <= A || letter > A + LETTERS) break
    column = column * LETTERS + letter - A
    if (column > MAX_COLUMNS) break
  }
  return column - 1
}
