/** A linked folder as an HTML page or JSON, with the same entries and links. */
import { fileLink, folderLink, lastSegment } from '../../links/file-link.ts'
import type { LinkedEntry, OpenedFolder } from '../../operations/links/open-link.ts'
import { timestamp } from '../../operations/timestamp.ts'
import { escapeHtml, escapeName } from '../../lib/html.ts'
import { pageFrame } from './page-frame.ts'

const ROOT = 'Files'

const STYLE = `
.trail ol { display: flex; flex-wrap: wrap; margin: 0 0 .25rem; padding: 0; list-style: none }
.trail li { overflow-wrap: anywhere }
.trail li + li::before { content: "/"; margin: 0 .5em; color: var(--quiet) }
svg { flex: none; width: 1.25rem; height: 1.25rem; margin-top: .175rem; fill: none;
  stroke: var(--quiet); stroke-width: 1.5; stroke-linejoin: round }
svg[hidden] { display: none }
svg.folder { fill: var(--shade); stroke: var(--link) }
table { width: 100%; border-collapse: collapse }
tr { border-bottom: 1px solid var(--line) }
th, td { padding: .5rem .75rem; text-align: start; font-weight: inherit; vertical-align: top }
thead th { color: var(--quiet); font-size: .875rem }
tbody tr:hover { background: var(--shade) }
.name { width: 100%; padding-inline-start: .25rem }
.name div { display: flex; gap: .625rem }
td a, th a { text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
bdi { direction: ltr; overflow-wrap: anywhere; white-space: pre-wrap }
.size, .time { white-space: nowrap; font-variant-numeric: tabular-nums }
td.size, td.time { color: var(--quiet) }
.size { text-align: end }
.get { padding-inline-end: .25rem }
.pages { display: flex; gap: 1.5rem; margin-top: 1.25rem }
footer { margin-top: 2rem }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap }
@media (max-width: 40rem) {
  table, tbody, th.name { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tbody tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .625rem 0; font-size: .875rem }
  th, td { padding: 0 }
  .name { font-size: 1rem }
  td.size { margin-inline-start: 2.125rem }
  td.size:empty, td.time:empty, td.get:empty { display: none }
  td.get { margin-inline-start: auto }
}`

const ICONS = `<svg hidden><symbol id="folder" viewBox="0 0 20 20"><path d="M2 4.5h5.5l2 2.5H18v9.5H2z"/></symbol>
<symbol id="file" viewBox="0 0 20 20"><path d="M4.5 1.75h7l4 4v12.5h-11zM11.5 1.75v4h4"/></symbol></svg>`

/**
 * @param token Of the folder itself, for its next page.
 * @param baseUrl Without a trailing slash.
 */
export function folderJson(folder: OpenedFolder, token: string, baseUrl: string) {
  const { path, next } = folder
  return {
    path,
    entries: folder.entries.map((entry) => ({
      name: lastSegment(entry.path),
      path: entry.path,
      type: entry.type,
      bytes: entry.bytes,
      modified_at: entry.modifiedAt && timestamp(entry.modifiedAt),
      link: linkTo(entry, baseUrl),
    })),
    next: next === undefined ? undefined : folderLink(baseUrl, path, token, next),
    expires_at: timestamp(folder.expiresAt),
  }
}

/**
 * Works without scripts; on narrow screens each row becomes a block.
 *
 * @param token Of the folder itself, for its other pages.
 */
export function folderPage(folder: OpenedFolder, token: string): string {
  const name = escapeName(lastSegment(folder.path) || ROOT)
  const isFirst = folder.isStart
  const nothing = `<p>${isFirst ? 'This folder is empty.' : 'There is nothing more in this folder.'}</p>`
  return pageFrame({
    title: isFirst ? name : `${name}, continued`,
    main: [
      ICONS,
      trailOf(folder.path),
      `<h1><bdi>${name}</bdi></h1>`,
      folder.entries.length === 0 ? nothing : tableOf(name, folder.entries),
      pagesOf(folder, token),
      `<footer class="quiet">The links on this page work until ${timeOf(folder.expiresAt)} UTC.</footer>`,
    ]
      .filter((part) => part !== '')
      .join('\n'),
    style: STYLE,
  })
}

/** No links: a folder's token does not open its parents. */
function trailOf(path: string): string {
  if (path === '') return ''
  const above = [ROOT, ...path.split('/').slice(0, -1)]
  const items = above.map((name) => `<li><bdi>${escapeName(name)}</bdi></li>`)
  return `<nav class="trail quiet" aria-label="Location"><ol>${items.join('')}</ol></nav>`
}

// Explicit roles: browsers drop table semantics when rows are displayed as blocks.
function tableOf(name: string, entries: readonly LinkedEntry[]): string {
  return `<table role="table">
<caption class="hidden">Contents of ${name}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="name">Name</th>\
<th scope="col" role="columnheader" class="size">Size</th>\
<th scope="col" role="columnheader" class="time">Modified (UTC)</th>\
<th scope="col" role="columnheader" class="get"><span class="hidden">Download</span></th></tr></thead>
<tbody role="rowgroup">
${entries.map(rowOf).join('\n')}
</tbody>
</table>`
}

function rowOf(entry: LinkedEntry): string {
  const { type, bytes, modifiedAt } = entry
  const name = `<bdi>${escapeName(lastSegment(entry.path))}</bdi>`
  const href = hrefOf(linkTo(entry, ''))
  const meaning = type === 'folder' ? 'role="img" aria-label="Folder"' : 'aria-hidden="true"'
  const icon = `<svg class="${type}" ${meaning}><use href="#${type}"/></svg>`
  const opening = href === undefined ? name : `<a href="${href}">${name}</a>`
  const download =
    href === undefined || type === 'folder'
      ? ''
      : `<a href="${href}&#38;download=1">Download<span class="hidden"> ${name}</span></a>`
  const cells = [
    `<th scope="row" role="rowheader" class="name"><div>${icon}<span>${opening}</span></div></th>`,
    `<td role="cell" class="size">${bytes === undefined ? '' : sizeOf(bytes)}</td>`,
    `<td role="cell" class="time">${modifiedAt ? timeOf(modifiedAt) : ''}</td>`,
    `<td role="cell" class="get">${download}</td>`,
  ]
  return `<tr role="row">${cells.join('')}</tr>`
}

function pagesOf({ path, isStart, next }: OpenedFolder, token: string): string {
  if (isStart && next === undefined) return ''
  const start = folderLink('', path, token)
  const links = [
    !isStart && `<a href="${hrefOf(start)}">Back to the start</a>`,
    next !== undefined &&
      `<a rel="next" href="${hrefOf(folderLink('', path, token, next))}">Next page</a>`,
  ]
  return `<nav class="pages" aria-label="Pages">${links.filter(Boolean).join('')}</nav>`
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** At most three digits, in powers of ten; `value` has the exact size. */
export function sizeOf(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const amount = bytes / 1000 ** unit
  const digits = unit === 0 || amount >= 10 ? 0 : 1
  const text = bytes === 1 ? '1 byte' : `${amount.toFixed(digits)} ${UNITS[unit]}`
  return `<data value="${bytes}">${text}</data>`
}

/** UTC: without scripts, the reader's time zone is unknown. */
export function timeOf(date: Date): string {
  const iso = timestamp(date)
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`
}

/** Absent if no link can be made. */
function linkTo({ path, type, token }: LinkedEntry, baseUrl: string): string | undefined {
  if (token === undefined) return undefined
  return type === 'folder' ? folderLink(baseUrl, path, token) : fileLink(baseUrl, path, token)
}

/** The query alone, escaped: a relative link works under any base URL. */
function hrefOf(link: string | undefined): string | undefined {
  return link && escapeHtml(link.slice(link.indexOf('?')))
}
