/** A file's preview, as far as a page can show it, in a dialog or beside the output. */
import { copyButton, saveFile, button, el, fill } from '../page/dom.ts'
import { failureNote, failureOf, openDialog } from '../page/notes.ts'
import type { Client, Content } from '../service/client.ts'
import { contentTypeOf } from '../../../files/content-type.ts'
import { countOf, formatBytes } from '../page/format.ts'
import { findText, kindOf, separatorOf, parseCsv } from './file-kind.ts'
import type { RunFile } from '../service/run-script.ts'

export function openPreview(client: Client, path: string): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const note = el('span', { class: 'note-line' })
  const body = el('div', { class: 'preview-body' }, el('p', { class: 'empty' }, 'Loading…'))
  const tell = (error: unknown) => fill(body, failureNote(failureOf(error)))
  const save = () => void client.download(path).then((content) => saveFile(name, content), tell)

  const dialog = openDialog(
    'preview',
    `Preview of ${path}`,
    undefined,
    el(
      'div',
      { class: 'preview-head' },
      el('h2', {}, el('bdi', {}, path)),
      note,
      el(
        'div',
        { class: 'actions' },
        copyButton('Copy link', () => client.linkTo(path)),
        button('Download', save, { class: 'quiet' }),
        button('Close', () => dialog.close(), { class: 'quiet', autofocus: true }),
      ),
    ),
    body,
  )
  void previewContent(client, path).then((preview) => {
    note.textContent = preview.note
    fill(body, preview.element)
  }, tell)
}

const MAX_TEXT_BYTES = 256 * 1024
const MAX_IMAGE_BYTES = 8 * 1024 * 1024
const MAX_ROWS = 200
const MAX_COLUMNS = 50

/** The preview, and a note on what is left out. */
interface Preview {
  readonly element: HTMLElement
  readonly note: string
}

/** @throws {RequestFailed} */
async function previewContent(client: Client, path: string): Promise<Preview> {
  const kind = kindOf(path)
  if (kind === 'binary')
    return noPreview('Files of this kind have no preview. Download it to open it.')
  if (kind === 'image') return imagePreview(path, await client.read(path, MAX_IMAGE_BYTES))
  const content = await client.read(path, MAX_TEXT_BYTES)
  const text = findText(content.bytes)
  if (text === null) return noPreview('This is not text. Download it to open it.')
  if (text === '') return noPreview('The file is empty.')
  if (kind === 'table') return tablePreview(path, text, content)
  return textPreview(kind === 'json' ? indented(text) : text, content)
}

function noPreview(text: string): Preview {
  return { element: el('p', { class: 'empty' }, text), note: '' }
}

function imagePreview(path: string, { bytes, totalBytes }: Content): Preview {
  if (bytes.length < totalBytes) {
    return noPreview(
      `An image of ${formatBytes(totalBytes)} is too large for a preview. Download it.`,
    )
  }
  const broken = noPreview(
    'The image cannot be shown: it may be damaged. Download it to inspect it.',
  )
  const holder = el('div', { class: 'picture' })
  const picture = pictureOf(path, bytes, () => holder.replaceWith(broken.element))
  holder.append(picture)
  return { element: holder, note: formatBytes(totalBytes) }
}

/** SVG in an `img` cannot run scripts. */
function pictureOf(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  onBroken: () => void,
): HTMLImageElement {
  const address = URL.createObjectURL(new Blob([bytes], { type: contentTypeOf(path) }))
  const release = () => URL.revokeObjectURL(address)
  return el('img', {
    src: address,
    alt: path,
    on: {
      load: release,
      error() {
        release()
        onBroken()
      },
    },
  })
}

function tablePreview(path: string, text: string, { bytes, totalBytes }: Content): Preview {
  const isCut = bytes.length < totalBytes
  const rows = parseCsv(text, separatorOf(path), MAX_ROWS + 2)
  // A truncated file may end within a line.
  if (isCut && rows.length <= MAX_ROWS + 1) rows.pop()
  const [head = [], ...body] = rows
  const shown = body.slice(0, MAX_ROWS)
  const isMore = isCut || body.length > shown.length
  const cells = (tag: 'th' | 'td', row: readonly string[]) =>
    row.slice(0, MAX_COLUMNS).map((cell) => el(tag, cellAttributes(tag, cell), cell))
  const table = el(
    'table',
    {},
    el('thead', {}, el('tr', {}, ...cells('th', head))),
    el('tbody', {}, ...shown.map((row) => el('tr', {}, ...cells('td', row)))),
  )
  const note = isMore
    ? `The first ${countOf(shown.length, 'row')} of ${formatBytes(totalBytes)}`
    : `${countOf(shown.length, 'row')}, ${formatBytes(totalBytes)}`
  return { element: el('div', { class: 'table-scroll', tabindex: 0 }, table), note }
}

function cellAttributes(tag: 'th' | 'td', cell: string) {
  const isNumber = tag === 'td' && /^\s*[-+]?[\d.,]+%?\s*$/.test(cell)
  return { ...(tag === 'th' && { scope: 'col' }), ...(isNumber && { class: 'number' }) }
}

function textPreview(text: string, { bytes, totalBytes }: Content): Preview {
  const isCut = bytes.length < totalBytes
  const note = isCut
    ? `The first ${formatBytes(bytes.length)} of ${formatBytes(totalBytes)}`
    : formatBytes(totalBytes)
  return { element: el('pre', { class: 'text', tabindex: 0 }, text), note }
}

/** Only if lossless: JavaScript would round large numbers. */
function indented(text: string): string {
  try {
    const hasLargeNumbers = /\d{16}/.test(text)
    return hasLargeNumbers ? text : JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Truncated, or not JSON.
    return text
  }
}

const MAX_BYTES = 2 * 1024 * 1024

/**
 * Shows the first image a run made. `null` if there is none; removes an image that fails to load.
 */
export function inlineImage(
  rows: readonly RunFile[],
  client: Client,
  openFile: (path: string) => void,
): HTMLElement | null {
  const row = rows.find(
    ({ name, op, stored, bytes }) =>
      kindOf(name) === 'image' && op !== 'remove' && stored !== false && bytes <= MAX_BYTES,
  )
  if (!row) return null
  const frame = el('button', {
    type: 'button',
    class: 'inline-image',
    'aria-label': `Preview ${row.name}`,
    on: { click: () => openFile(row.name) },
  })
  void client.read(row.name, MAX_BYTES).then(
    ({ bytes }) => frame.append(pictureOf(row.name, bytes, () => frame.remove())),
    () => frame.remove(),
  )
  return frame
}
