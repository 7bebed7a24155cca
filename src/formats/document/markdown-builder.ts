/** Builds Markdown from headings, paragraphs, lists and tables, in the order of the document. */
import type { TextRoom } from './text-room.ts'

/** Deeper levels would make the text grow with the square of their number. */
const MAX_INDENTED_LEVELS = 8
const MAX_QUOTE_LEVELS = 4
const MAX_HEADING_LEVEL = 6

interface List {
  readonly isOrdered: boolean
  items: number
}

interface Table {
  readonly rows: string[][]
  /** Of the cell under way. */
  cell: string[] | undefined
}

interface Link {
  readonly address: string
  /** Where in the pieces its text begins. */
  readonly start: number
}

export class MarkdownBuilder {
  readonly #room: TextRoom
  readonly #blocks: string[] = []
  readonly #lists: List[] = []
  #pieces: string[] = []
  #prefix = ''
  #quotes = 0
  #isPre = false
  #table: Table | undefined
  /** Tables inside a cell become text of the cell. */
  #innerTables = 0
  #link: Link | undefined
  /** Whether the last block was an item, after which no empty line is needed. */
  #isAfterItem = false

  constructor(room: TextRoom) {
    this.#room = room
  }

  /** White space is collapsed outside of `pre`. @throws {FormatError} if there is no room. */
  text(text: string): void {
    this.#room.take(text.length)
    // Between cells, it is no cell of its own.
    if (this.#table && !this.#table.cell && text.trim() === '') return
    this.#current.push(this.#isPre && !this.#table ? text : text.replaceAll(/\s+/g, ' '))
  }

  breakLine(): void {
    if (this.#table) this.#table.cell?.push(' ')
    else this.#pieces.push('\n')
  }

  /** Ends the paragraph, heading or item under way, if any. */
  endBlock(): void {
    if (this.#table) return void this.#table.cell?.push(' ')
    const isItem = this.#prefix.endsWith('- ') || /\d\. $/.test(this.#prefix)
    const text = this.#isPre ? this.#pieces.join('') : tidy(this.#pieces.join(''))
    if (text !== '') this.#add(this.#isPre ? fenced(text) : text, isItem)
    this.#pieces = []
    this.#link = undefined
    if (text !== '' || !isItem) this.#prefix = ''
  }

  startHeading(level: number): void {
    this.endBlock()
    if (!this.#table) this.#prefix = `${'#'.repeat(Math.min(level, MAX_HEADING_LEVEL))} `
  }

  openList(isOrdered: boolean): void {
    this.endBlock()
    this.#lists.push({ isOrdered, items: 0 })
  }

  closeList(): void {
    this.endBlock()
    this.#prefix = ''
    this.#lists.pop()
    this.#isAfterItem &&= this.#lists.length > 0
  }

  startItem(): void {
    this.endBlock()
    if (this.#table) return
    const list = this.#lists.at(-1)
    if (list) list.items++
    const level = Math.min(Math.max(this.#lists.length - 1, 0), MAX_INDENTED_LEVELS)
    this.#prefix = '  '.repeat(level) + (list?.isOrdered ? `${list.items}. ` : '- ')
  }

  openQuote(): void {
    this.endBlock()
    this.#quotes++
  }

  closeQuote(): void {
    this.endBlock()
    this.#quotes = Math.max(0, this.#quotes - 1)
  }

  openPre(): void {
    this.endBlock()
    this.#isPre = true
  }

  closePre(): void {
    this.endBlock()
    this.#isPre = false
  }

  openTable(): void {
    if (this.#table) return void this.#innerTables++
    this.endBlock()
    this.#table = { rows: [], cell: undefined }
  }

  openRow(): void {
    if (!this.#table || this.#innerTables > 0) return
    this.#closeCell()
    this.#table.rows.push([])
  }

  openCell(): void {
    if (!this.#table || this.#innerTables > 0) return
    this.#closeCell()
    if (this.#table.rows.length === 0) this.#table.rows.push([])
    this.#table.cell = []
  }

  closeTable(): void {
    if (this.#innerTables > 0) return void this.#innerTables--
    if (!this.#table) return
    this.#closeCell()
    const { rows } = this.#table
    this.#table = undefined
    this.#prefix = ''
    const table = markdownTable(rows)
    if (table !== '') this.#add(table, false)
  }

  openLink(address: string): void {
    this.#link = { address, start: this.#current.length }
  }

  closeLink(): void {
    const link = this.#link
    this.#link = undefined
    if (!link || link.start > this.#current.length) return
    const text = this.#current.splice(link.start).join('')
    this.#current.push(text.trim() === '' ? text : `[${text.trim()}](${link.address})`)
  }

  /** A block as it is. */
  add(block: string): void {
    this.endBlock()
    this.#add(block, false)
  }

  /** Ends with a newline unless empty. */
  finish(): string {
    this.#innerTables = 0
    this.closeTable()
    this.endBlock()
    return this.#blocks.length === 0 ? '' : `${this.#blocks.join('')}\n`
  }

  get #current(): string[] {
    // What stands in a table outside of its cells, such as its caption, is kept.
    return this.#table ? (this.#table.cell ??= this.#firstCell()) : this.#pieces
  }

  #firstCell(): string[] {
    if (this.#table!.rows.length === 0) this.#table!.rows.push([])
    return []
  }

  #closeCell(): void {
    const { cell, rows } = this.#table!
    const text = cell && tidy(cell.join(''))
    this.#table!.cell = undefined
    this.#link = undefined
    if (text !== undefined) rows.at(-1)?.push(text)
  }

  #add(block: string, isItem: boolean): void {
    const quote = '> '.repeat(Math.min(this.#quotes, MAX_QUOTE_LEVELS))
    const text = this.#prefix + block
    const gap = isItem && this.#isAfterItem ? '\n' : '\n\n'
    this.#blocks.push(
      (this.#blocks.length === 0 ? '' : gap) +
        (quote === '' ? text : quote + text.replaceAll('\n', `\n${quote}`)),
    )
    this.#isAfterItem = isItem
  }
}

/**
 * The first row is the header, as Markdown has no other tables, and as long as the longest; other
 * rows are not padded, or the text could grow with the square of the table. Empty without cells.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''))
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0) return ''
  const lineOf = (row: readonly string[]) => `| ${row.map(cellText).join(' | ')} |`
  const [head = [], ...body] = filled
  const header = Array.from({ length: width }, (_, i) => head[i] ?? '')
  return [lineOf(header), `|${' --- |'.repeat(width)}`, ...body.map(lineOf)].join('\n')
}

function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim()
}

/** Without spaces around lines, and without empty lines. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}

/** Longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/^\n/, '').trimEnd()}\n${fence}`
}
