/**
 * Lines of a PDF page, which says where letters are and nothing about headings, lists or tables.
 */

/** As pdf.js gives it. */
export interface TextItem {
  readonly str: string
  /** Where and how large it is drawn. */
  readonly transform: readonly number[]
  readonly width: number
  readonly hasEOL: boolean
}

/** Text without a wide gap in it. */
interface PdfCell {
  text: string
  readonly start: number
  end: number
}

export interface PdfLine {
  readonly text: string
  readonly cells: readonly PdfCell[]
  /** Of its largest letters. */
  readonly height: number
  /** From the bottom of the page. */
  readonly y: number
}

/** Between cells, of the height of the letters. */
const CELL_GAP = 1.5

export function pdfLines(items: readonly TextItem[]): PdfLine[] {
  const lines: PdfLine[] = []
  let line = new OpenLine()
  for (const item of items) {
    line.add(item)
    if (!item.hasEOL) continue
    line.endInto(lines)
    line = new OpenLine()
  }
  line.endInto(lines)
  return lines
}

class OpenLine {
  readonly #cells: PdfCell[] = []
  #height = 0
  #y: number | undefined

  add({ str, transform, width }: TextItem): void {
    const [, , c = 0, d = 0, x = 0, y = 0] = transform
    const last = this.#cells.at(-1)
    if (str.trim() === '') {
      if (last && str !== '') last.text += ' '
      return
    }
    const height = Math.hypot(c, d)
    this.#height = Math.max(this.#height, height)
    this.#y ??= y
    if (last && x - last.end < CELL_GAP * height) {
      last.text += str
      last.end = Math.max(last.end, x + width)
    } else this.#cells.push({ text: str, start: x, end: x + width })
  }

  endInto(lines: PdfLine[]): void {
    for (const cell of this.#cells) cell.text = cell.text.replaceAll(/\s+/g, ' ').trim()
    const text = this.#cells.map((cell) => cell.text).join(' ')
    if (text === '') return
    lines.push({ text, cells: this.#cells, height: this.#height, y: this.#y ?? 0 })
  }
}
