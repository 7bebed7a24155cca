/** The files a run touched, each with its link. */
import { copyButton } from '../page/clipboard.ts'
import { button, el, outerLink } from '../page/dom.ts'
import { formatBytes } from '../page/format.ts'
import type { RunFile } from '../service/run-script.ts'

const OPERATIONS: Readonly<Record<RunFile['op'], string>> = {
  write: 'written',
  append: 'appended',
  remove: 'removed',
}

export function touchedFiles(
  rows: readonly RunFile[],
  openFile: (path: string) => void,
): HTMLElement {
  return el('ul', { class: 'files' }, ...rows.map((row) => rowView(row, openFile)))
}

function rowView(row: RunFile, openFile: (path: string) => void): HTMLElement {
  const { name, op, bytes, stored, link } = row
  const isThere = op !== 'remove' && stored !== false
  return el(
    'li',
    {},
    isThere
      ? button(el('bdi', {}, name), () => openFile(name), { class: 'file-name', title: 'Preview' })
      : el('bdi', { class: 'file-name gone' }, name),
    el('span', { class: 'what' }, stored === false ? 'not stored' : OPERATIONS[op]),
    el('span', { class: 'size' }, isThere ? formatBytes(bytes) : ''),
    el(
      'span',
      { class: 'row-actions' },
      isThere &&
        link &&
        outerLink('Open', link, { class: 'quiet', 'aria-label': `Open ${name} by its link` }),
      isThere &&
        link &&
        copyButton('Copy link', () => link, { 'aria-label': `Copy link of ${name}` }),
    ),
  )
}
