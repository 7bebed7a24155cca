/** A linked folder as an HTML page or JSON, with the same entries and links. */
import { contentTypeOf } from '../../files/content-type.ts'
import { fileLink, folderLink, lastSegment } from '../../links/file-link.ts'
import type { LinkedEntry, OpenedFolder } from '../../operations/links/open-link.ts'
import { ZIP_LIMITS, zipLimitText, type ZipLimits } from '../../operations/links/zip-folder.ts'
import { timestamp } from '../../operations/timestamp.ts'
import { escapeName } from '../../lib/html.ts'
import { hrefOf, sizeOf, timeOf } from './facts.ts'
import { BY_NAME, sortEntries, sortQuery, type SortColumn, type Sorting } from './folder-sorting.ts'
import { pageFrame, pagePolicy } from './page-frame.ts'

const ROOT = 'Files'
/** Pictures are sent whole for their preview. */
const MAX_PREVIEW_BYTES = 2 * 1024 * 1024
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)$/

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
.preview { padding: .25rem }
.preview img { display: block; width: 3rem; height: 3rem; object-fit: contain }
.all { margin: 0 0 1rem }
thead a { color: inherit }
.pages { display: flex; gap: 1.5rem; margin-top: 1.25rem }
footer { margin-top: 2rem }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap }
@media (max-width: 40rem) {
  table, tbody, th.name { display: block }
  thead, thead tr { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
  thead th.name { width: auto }
  thead th.get, thead th.preview { display: none }
  td.preview:empty { display: none }
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

/** Pictures of this service are allowed only where some are shown. */
export function folderPolicy({ entries }: OpenedFolder): string {
  return pagePolicy(entries.some(isPicture) ? { 'img-src': "'self'" } : {})
}

interface FolderView {
  readonly sorting?: Sorting
  readonly zipLimits?: ZipLimits | undefined
}

/**
 * Works without scripts; on narrow screens each row becomes a block.
 *
 * @param token Of the folder itself, for its other pages.
 */
export function folderPage(folder: OpenedFolder, token: string, view: FolderView = {}): string {
  const { sorting = BY_NAME, zipLimits = ZIP_LIMITS } = view
  const name = escapeName(lastSegment(folder.path) || ROOT)
  const isFirst = folder.isStart
  const nothing = `<p>${isFirst ? 'This folder is empty.' : 'There is nothing more in this folder.'}</p>`
  return pageFrame({
    title: isFirst ? name : `${name}, continued`,
    main: [
      ICONS,
      trailOf(folder.path),
      `<h1><bdi>${name}</bdi></h1>`,
      folder.entries.length === 0 ? nothing : zipOf(folder, token, zipLimits),
      folder.entries.length === 0 ? '' : tableOf(folder, token, sorting),
      pagesOf(folder, token, sorting),
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

/** What is on the page may already be too much; further files are counted when it starts. */
function zipOf({ path, entries }: OpenedFolder, token: string, limits: ZipLimits): string {
  const bytes = entries.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0)
  if (bytes > limits.bytes) return `<p class="all quiet">${zipLimitText(limits)}</p>`
  const href = hrefOf(`${folderLink('', path, token)}&zip=1`)
  return `<p class="all"><a href="${href}">Download all as ZIP</a></p>`
}

// Explicit roles: browsers drop table semantics when rows are displayed as blocks.
function tableOf(folder: OpenedFolder, token: string, sorting: Sorting): string {
  const { path, entries, isStart, next } = folder
  const hasPictures = entries.some(isPicture)
  const isPart = !isStart || next !== undefined
  const caption = `Contents of ${escapeName(lastSegment(path) || ROOT)}${isPart ? ', this page' : ''}`
  const own = folderLink('', path, token, folder.after)
  const head = (column: SortColumn, text: string) => sortHead(column, text, own, sorting)
  const preview =
    '<th scope="col" role="columnheader" class="preview"><span class="hidden">Preview</span></th>'
  return `<table role="table">
<caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${hasPictures ? preview : ''}${head('name', 'Name')}\
${head('size', 'Size')}${head('time', 'Modified (UTC)')}\
<th scope="col" role="columnheader" class="get"><span class="hidden">Download</span></th></tr></thead>
<tbody role="rowgroup">
${sortEntries(entries, sorting)
  .map((entry) => rowOf(entry, hasPictures))
  .join('\n')}
</tbody>
</table>`
}

/** Sorts the page by this column; again, the other way round. */
function sortHead(by: SortColumn, text: string, own: string, sorting: Sorting): string {
  const isSorted = sorting.by === by
  const isDescending = isSorted && !sorting.isDescending
  const state = sorting.isDescending ? 'descending' : 'ascending'
  const href = hrefOf(own + sortQuery({ by, isDescending }))
  return `<th scope="col" role="columnheader" class="${by}"${isSorted ? ` aria-sort="${state}"` : ''}>\
<a href="${href}">${text}</a></th>`
}

function isPicture({ path, type, bytes = 0, token }: LinkedEntry): boolean {
  const isShown = type === 'file' && token !== undefined && bytes <= MAX_PREVIEW_BYTES
  return isShown && PICTURE.test(contentTypeOf(path))
}

function rowOf(entry: LinkedEntry, hasPictures: boolean): string {
  const { type, bytes, modifiedAt } = entry
  const name = `<bdi>${escapeName(lastSegment(entry.path))}</bdi>`
  const link = linkTo(entry, '')
  const href = link && hrefOf(link)
  const meaning = type === 'folder' ? 'role="img" aria-label="Folder"' : 'aria-hidden="true"'
  const icon = `<svg class="${type}" ${meaning}><use href="#${type}"/></svg>`
  const opening = href === undefined ? name : `<a href="${href}">${name}</a>`
  const download =
    href === undefined || type === 'folder'
      ? ''
      : `<a href="${href}&#38;download=1">Download<span class="hidden"> ${name}</span></a>`
  const picture = isPicture(entry)
    ? `<img src="${href}&#38;raw=1" alt="" loading="lazy" width="48" height="48">`
    : ''
  const cells = [
    hasPictures ? `<td role="cell" class="preview">${picture}</td>` : '',
    `<th scope="row" role="rowheader" class="name"><div>${icon}<span>${opening}</span></div></th>`,
    `<td role="cell" class="size">${bytes === undefined ? '' : sizeOf(bytes)}</td>`,
    `<td role="cell" class="time">${modifiedAt ? timeOf(modifiedAt) : ''}</td>`,
    `<td role="cell" class="get">${download}</td>`,
  ]
  return `<tr role="row">${cells.join('')}</tr>`
}

function pagesOf({ path, isStart, next }: OpenedFolder, token: string, sorting: Sorting): string {
  if (isStart && next === undefined) return ''
  const order = sortQuery(sorting)
  const start = folderLink('', path, token) + order
  const links = [
    !isStart && `<a href="${hrefOf(start)}">Back to the start</a>`,
    next !== undefined &&
      `<a rel="next" href="${hrefOf(folderLink('', path, token, next) + order)}">Next page</a>`,
  ]
  return `<nav class="pages" aria-label="Pages">${links.filter(Boolean).join('')}</nav>`
}

/** Absent if no link can be made. */
function linkTo({ path, type, token }: LinkedEntry, baseUrl: string): string | undefined {
  if (token === undefined) return undefined
  return type === 'folder' ? folderLink(baseUrl, path, token) : fileLink(baseUrl, path, token)
}
