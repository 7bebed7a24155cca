/** The rows of a page as an HTML table. */
import { columnType, isNumeric, type ColumnType } from '../../../formats/table/column-type.ts'
import { cellText } from '../../../formats/table/table.ts'
import { escapeName } from '../../../lib/html.ts'
import type { RowsPage } from './rows-page.ts'

/** Longer texts are cut: the file has them whole. */
const MAX_CELL_LENGTH = 500
/** In a cell: a mark is many times as long as a letter. */
const MAX_MARKS = 5
const DELETE = 0x7f

export const TABLE_STYLE = `
.wide { overflow: auto; border: 1px solid var(--line); border-radius: 6px }
table { border-collapse: collapse; font-size: .875rem }
th, td { max-width: 32rem; padding: .3rem .75rem; border-bottom: 1px solid var(--line);
  text-align: start; vertical-align: top; font-weight: inherit; white-space: pre-wrap;
  overflow-wrap: break-word; unicode-bidi: isolate }
thead th { background: var(--shade); font-weight: 600; white-space: pre }
thead span { display: block; color: var(--quiet); font-weight: normal; font-size: .75rem }
tbody tr:hover { background: var(--shade) }
.number { text-align: end; font-variant-numeric: tabular-nums }
.row { color: var(--quiet) }
.none { color: var(--quiet); font-style: italic }
mark { background: #ffe28a; color: #1c2024 }
caption, .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap }`

/** Rows that contain what is searched for, by their place on the page. */
export function matchingRows({ table }: RowsPage, sought: RegExp | undefined): number[] {
  const all = [...table.rows.keys()]
  if (!sought) return all
  return all.filter((row) => table.rows[row]!.some((cell) => isMatch(cellText(cell), sought)))
}

function isMatch(text: string, sought: RegExp): boolean {
  sought.lastIndex = 0
  return sought.test(text)
}

/** @param shown Rows, by their place on the page. */
export function tableHtml(
  page: RowsPage,
  caption: string,
  shown: readonly number[],
  sought: RegExp | undefined,
): string {
  const { table, firstRow, isText } = page
  const { columns, rows } = table
  const types = columns.map((_, column) => columnType(valuesOf(rows, column), isText))
  const corner = firstRow === undefined ? '' : '<th scope="col" class="number">Row</th>'
  const heads = columns.map((name, column) => headCell(name, column, types[column]!))
  const lines = shown.map((row) => {
    const number = firstRow === undefined ? '' : rowHead(firstRow + row)
    const cells = types.map((type, column) => cellHtml(rows[row]![column], type, sought))
    return `<tr>${number}${cells.join('')}</tr>`
  })
  return `<div class="wide" role="region" aria-label="Rows, scrollable" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${corner}${heads.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table></div>`
}

function* valuesOf(rows: readonly (readonly unknown[])[], column: number): Generator {
  for (const row of rows) yield row[column]
}

function rowHead(number: number): string {
  return `<th scope="row" class="number row">${number}</th>`
}

function headCell(name: string, column: number, type: ColumnType): string {
  const shown = name.trim() === '' ? `Column ${column + 1}` : name
  const style = isNumeric(type) ? ' class="number"' : ''
  return `<th scope="col"${style}>${textHtml(shown)}<span>${type}</span></th>`
}

function cellHtml(value: unknown, type: ColumnType, sought: RegExp | undefined): string {
  if (value === null) return '<td class="none">null</td>'
  const style = isNumeric(type) ? ' class="number"' : ''
  return `<td${style}>${textHtml(cellText(value), sought)}</td>`
}

/** Parts that match are marked. */
function textHtml(whole: string, sought?: RegExp): string {
  const text = whole.length > MAX_CELL_LENGTH ? `${whole.slice(0, MAX_CELL_LENGTH)}…` : whole
  if (!sought) return visible(text)
  let end = 0
  const marked = [...text.matchAll(sought)].slice(0, MAX_MARKS).map(({ 0: match, index }) => {
    const before = text.slice(end, index)
    end = index + match.length
    return `${visible(before)}<mark>${visible(match)}</mark>`
  })
  return marked.join('') + visible(text.slice(end))
}

/** Control characters as pictures of them: some would disappear, or end the page for browsers. */
export function visible(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  const pictured = lines.replaceAll(/(?![\t\n])\p{Cc}/gu, (control) => {
    const code = control.charCodeAt(0)
    if (code === DELETE) return '\u2421'
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })
  return escapeName(pictured)
}
