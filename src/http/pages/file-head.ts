/** The top of a file's page: its name, its facts, and how to get it. */
import { escapeName } from '../../lib/html.ts'
import { fileLink, lastSegment } from '../../links/file-link.ts'
import type { OpenedFile } from '../../operations/open-file.ts'
import { hrefOf, sizeOf, timeOf } from './facts.ts'

/** A file's page is made for the holder of its link. */
export interface PageFile extends Pick<OpenedFile, 'path' | 'info'> {
  readonly token: string
}

export const HEAD_STYLE = `
.head { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline;
  margin-bottom: 1rem }
.head h1 { margin: 0 }
.head p { margin: 0 auto 0 0 }
.head a { white-space: nowrap }
.button, button { padding: .375rem .875rem; border: 1px solid var(--link); border-radius: 6px;
  background: none; color: var(--link); font: inherit; font-size: .875rem; text-decoration: none }
.button:hover, button:hover { background: var(--shade) }
button:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
bdi { direction: ltr; white-space: pre-wrap; overflow-wrap: anywhere }`

/** @param query Starts with `&`. */
export function hrefTo({ path, token }: PageFile, query = ''): string {
  return hrefOf(fileLink('', path, token) + query)
}

export function titleOf({ path }: PageFile): string {
  return escapeName(lastSegment(path))
}

/** @param kind What it is, such as `CSV`. */
export function fileHead(file: PageFile, kind: string, rawLabel?: string): string {
  const { bytes, modifiedAt } = file.info
  const raw = rawLabel === undefined ? '' : `<a href="${hrefTo(file, '&raw=1')}">${rawLabel}</a>`
  return `<header class="head"><h1><bdi>${titleOf(file)}</bdi></h1>
<p class="quiet">${kind}, ${sizeOf(bytes)}, ${timeOf(modifiedAt)} UTC</p>
${raw}
<a class="button" href="${hrefTo(file, '&download=1')}">Download</a></header>`
}
