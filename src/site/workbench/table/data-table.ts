/** A table of any length: sorted by column, with a choice of columns, copied as CSV. */
import { button, copyButton, el, fill, type Child } from '../page/dom.ts'
import { countOf } from '../page/format.ts'
import { cellView, columnLook, type ColumnLook } from './cells.ts'
import { columnChoice } from './column-choice.ts'
import { rowWindow } from './row-window.ts'
import { sortedRows, toCsv, type Sorting, type TableData } from './table-data.ts'

interface TableOptions {
  readonly label: string
  /** Shown with the other actions. */
  readonly actions?: readonly Child[]
  /** Shows a nested value or a long text below its row. */
  detail(value: unknown): HTMLElement
}

/** More are a choice away. */
const SHOWN_AT_FIRST = 40

export function dataTable(data: TableData, options: TableOptions): HTMLElement {
  return new DataTable(data, options).element
}

class DataTable {
  readonly element: HTMLElement
  readonly #data: TableData
  readonly #options: TableOptions
  readonly #looks: readonly ColumnLook[]
  #shown: readonly number[]
  #sorting: Sorting | null = null
  #order: readonly number[]
  /** The open column by row. */
  readonly #open = new Map<number, number>()
  readonly #columns = el('colgroup')
  readonly #head = el('tr', { 'aria-rowindex': 1 })
  readonly #body = el('tbody')
  readonly #table = el('table')
  readonly #scroller: HTMLElement
  readonly #rows: ReturnType<typeof rowWindow>

  constructor(data: TableData, options: TableOptions) {
    const { label } = options
    this.#data = data
    this.#options = options
    this.#looks = data.columns.map((name, column) => columnLook(name, data.rows, column))
    this.#shown = [...data.columns.keys()].slice(0, SHOWN_AT_FIRST)
    this.#order = sortedRows(data, null)
    this.#table.append(this.#columns, el('thead', {}, this.#head), this.#body)
    this.#table.ariaLabel = label
    this.#table.setAttribute('aria-rowcount', String(data.rows.length + 1))
    const sizer = el('div', { class: 'table-sizer' }, this.#table)
    const region = { role: 'region', 'aria-label': `${label}, scrollable` }
    this.#scroller = el('div', { class: 'table-scroll', tabindex: 0, ...region }, sizer)
    this.#rows = rowWindow({
      scroller: this.#scroller,
      sizer,
      table: this.#table,
      body: this.#body,
      draw: (row) => this.#draw(row),
      isOpen: (row) => this.#open.has(row),
    })
    this.element = el('div', { class: 'table-view' }, this.#bar(), this.#scroller)
    this.#show(this.#shown)
  }

  #bar(): HTMLElement {
    const { columns, rows } = this.#data
    return el(
      'div',
      { class: 'table-bar' },
      el('span', {}, countOf(rows.length, 'row')),
      columns.length > 1 && columnChoice(columns, this.#shown, (chosen) => this.#show(chosen)),
      copyButton('Copy as CSV', () => toCsv(this.#data, this.#shown, this.#order)),
      ...(this.#options.actions ?? []),
    )
  }

  #show(columns: readonly number[]): void {
    this.#shown = columns
    // Whatever was open may be in a hidden column.
    this.#open.clear()
    const widths = columns.map((column) => this.#looks[column]!.width)
    fill(this.#columns, ...widths.map(columnOf))
    this.#table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}ch`
    fill(this.#head, ...columns.map((column) => this.#headCell(column)))
    this.#rows.show(this.#order)
  }

  #headCell(column: number): HTMLElement {
    const name = this.#data.columns[column]!
    const sort = button(name, () => this.#sortBy(column), {
      title: 'Sort',
      'aria-label': name === '' && `Column ${column + 1}`,
    })
    const look = this.#looks[column]!
    const cell = el('th', { scope: 'col', class: look.isNumeric && 'number' }, sort)
    cell.ariaSort = this.#sortState(column)
    return cell
  }

  /** Ascending, descending, as it was. */
  #sortBy(column: number): void {
    const before = this.#sorting?.column === column ? this.#sorting : null
    this.#sorting = before?.isDescending ? null : { column, isDescending: before !== null }
    this.#order = sortedRows(this.#data, this.#sorting)
    for (const [i, cell] of [...this.#head.children].entries()) {
      cell.ariaSort = this.#sortState(this.#shown[i]!)
    }
    this.#scroller.scrollTop = 0
    this.#rows.show(this.#order)
  }

  #sortState(column: number): string | null {
    if (this.#sorting?.column !== column) return null
    return this.#sorting.isDescending ? 'descending' : 'ascending'
  }

  #draw(row: number): HTMLTableRowElement[] {
    const opened = this.#open.get(row)
    const cells = this.#shown.map((column) =>
      cellView(this.#data.rows[row]![column], this.#looks[column]!, {
        isOpen: opened === column,
        press: () => this.#toggle(row, column),
      }),
    )
    const line = el('tr', {}, ...cells)
    return opened === undefined ? [line] : [line, this.#detailRow(row, opened)]
  }

  #detailRow(row: number, column: number): HTMLTableRowElement {
    const region = { role: 'region', 'aria-label': this.#data.columns[column]! }
    const content = this.#options.detail(this.#data.rows[row]![column])
    const holder = el('div', { class: 'table-detail', tabindex: 0, ...region }, content)
    return el('tr', {}, el('td', { colspan: this.#shown.length }, holder))
  }

  #toggle(row: number, column: number): void {
    if (this.#open.get(row) === column) this.#open.delete(row)
    else this.#open.set(row, column)
    this.#rows.show(this.#order)
    // The pressed button was drawn anew.
    const place = this.#order.indexOf(row) + 2
    const line = this.#body.querySelector(`[aria-rowindex="${place}"]`)
    line?.children[this.#shown.indexOf(column)]?.querySelector('button')?.focus()
  }
}

function columnOf(width: number): HTMLElement {
  const column = el('col')
  column.style.width = `${width}ch`
  return column
}
