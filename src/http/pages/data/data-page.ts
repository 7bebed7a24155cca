/** The page of a data file: a table of up to 200 rows, and the way to others. */
import { escapeHtml, escapeName } from '../../../lib/html.ts'
import { fileHead, HEAD_STYLE, hrefTo, titleOf, type PageFile } from '../file-head.ts'
import { pageFrame } from '../page-frame.ts'
import { matchingRows, TABLE_STYLE, tableHtml } from './cells.ts'
import { placeAt, placeQuery, START, type Place } from './place.ts'
import { MAX_COLUMNS, type RowsPage } from './rows-page.ts'

/** Longer texts are not searched for. */
const MAX_SOUGHT_LENGTH = 200
const JUMPS = [10, 20, 30, 40, 50, 60, 70, 80, 90]

const STYLE = `
main { max-width: none }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 }
.tools { display: flex; flex-wrap: wrap; gap: .75rem 2rem; align-items: center;
  margin-bottom: .75rem; font-size: .875rem }
.tools p, .notes { margin: 0 }
.notes { margin-bottom: .75rem; padding: .5rem .75rem; border-inline-start: 3px solid var(--link);
  background: var(--shade); font-size: .875rem; list-style: none }
input { min-width: 0; padding: .3rem .5rem; border: 1px solid var(--quiet); border-radius: 6px;
  background: var(--ground); color: var(--ink); font: inherit; font-size: .875rem }
input[name=percent] { width: 5.5em }
.pages { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin: 1rem 0; font-size: .875rem }`

export interface DataView {
  readonly file: PageFile
  /** Such as `CSV`. */
  readonly kind: string
  /** Whether the file itself is text. */
  readonly isReadable: boolean
  readonly page: RowsPage
  readonly place: Place
  /** What to search the page for. */
  readonly query: string
}

export function dataPage({ file, kind, isReadable, page, place, query }: DataView): string {
  const words = query.slice(0, MAX_SOUGHT_LENGTH)
  const sought = words === '' ? undefined : literally(words)
  const shown = matchingRows(page, sought)
  const name = titleOf(file)
  return pageFrame({
    title: name,
    main: [
      fileHead(file, kind, isReadable ? 'As text' : undefined),
      `<div class="tools"><p>${whereText(page)}</p>${searchForm(file, place, words)}${jumpForm(file, page)}</div>`,
      notesHtml(page, words, shown.length),
      page.table.rows.length === 0
        ? '<p>There are no rows here.</p>'
        : tableHtml(page, `Rows of ${name}`, shown, sought),
      pagesHtml(file, page),
    ]
      .filter((part) => part !== '')
      .join('\n'),
    style: HEAD_STYLE + TABLE_STYLE + STYLE,
  })
}

/** For any case; characters stand for themselves. */
function literally(words: string): RegExp {
  return new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu')
}

function whereText({ table, firstRow, totalRows, percent }: RowsPage): string {
  const count = table.rows.length
  if (firstRow === undefined) return `${counted(count)} from about ${Math.round(percent)} %`
  if (count === 0) return 'No rows'
  const range = `Rows ${grouped(firstRow)} to ${grouped(firstRow + count - 1)}`
  return totalRows === undefined ? range : `${range} of ${grouped(totalRows)}`
}

function counted(rows: number): string {
  return rows === 1 ? '1 row' : `${grouped(rows)} rows`
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** What the form's own fields are added to: a form replaces the query of its address. */
function hiddenFields({ path, token }: PageFile, place: Place = START): string {
  const query = new URLSearchParams(placeQuery(place))
  return Object.entries({ path, token, ...Object.fromEntries(query) })
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')
}

function searchForm(file: PageFile, place: Place, words: string): string {
  const clear = words === '' ? '' : `<a href="${hrefTo(file, placeQuery(place))}">Show all rows</a>`
  return `<form method="get" role="search">${hiddenFields(file, place)}\
<label for="q">Search this page</label>\
<input id="q" name="q" type="search" maxlength="${MAX_SOUGHT_LENGTH}" value="${escapeHtml(words)}">\
<button>Search</button>${clear}</form>`
}

function jumpForm(file: PageFile, { canJump }: RowsPage): string {
  if (!canJump) return ''
  return `<form method="get">${hiddenFields(file)}<label for="percent">Go to %</label>\
<input id="percent" name="percent" type="number" min="0" max="100" step="any" required>\
<button>Go</button></form>`
}

function notesHtml({ notes, table }: RowsPage, words: string, matches: number): string {
  const all = [
    ...(words === ''
      ? []
      : [`${counted(matches)} of ${table.rows.length} on this page: “${words}”.`]),
    ...notes,
    ...(table.isNarrowed ? [`Only the first ${MAX_COLUMNS} columns are shown.`] : []),
  ]
  if (all.length === 0) return ''
  const items = all.map((note) => `<li>${escapeName(note)}</li>`)
  return `<div role="status"><ul class="notes">${items.join('')}</ul></div>`
}

function pagesHtml(file: PageFile, page: RowsPage): string {
  const { previous, next, last, canJump, firstRow } = page
  const link = (place: Place, label: string, rel = '') =>
    `<a${rel && ` rel="${rel}"`} href="${hrefTo(file, placeQuery(place))}">${label}</a>`
  const jumps = canJump
    ? JUMPS.map((percent) => link(placeAt(percent, file.info.bytes), `${percent} %`))
    : []
  const links = [
    firstRow === 1 ? '' : link(START, 'First page'),
    previous ? link(previous, 'Previous page', 'prev') : '',
    next ? link(next, 'Next page', 'next') : '',
    ...jumps,
    last ? link(last, 'Last page') : '',
  ].filter((html) => html !== '')
  return links.length === 0 ? '' : `<nav class="pages" aria-label="Pages">${links.join('')}</nav>`
}
