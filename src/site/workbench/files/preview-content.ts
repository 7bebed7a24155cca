/** A file's content, as far as a page can show it. */
import { csvRows } from '../../../formats/table/csv-rows.ts'
import { BrokenLine, jsonLines } from '../../../formats/table/json-lines.ts'
import { markLength } from '../../../formats/table/part-text.ts'
import { el } from '../page/dom.ts'
import { countOf, formatBytes } from '../page/format.ts'
import { detailView, listView } from '../output/result-view.ts'
import type { Client, Content } from '../service/client.ts'
import { dataTable } from '../table/data-table.ts'
import { tableOfCsv } from '../table/table-data.ts'
import { findLines, type FileText } from './file-text.ts'
import { findText, kindOf, separatorOf } from './file-kind.ts'
import { markdownFrame } from './markdown-frame.ts'
import { pictureOf } from './pictures.ts'

const MAX_TEXT_BYTES = 256 * 1024
/** Tables draw only the rows in view. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024
const MAX_IMAGE_BYTES = 8 * 1024 * 1024
const MAX_MARKDOWN_BYTES = 128 * 1024

export interface Preview {
  readonly element: HTMLElement
  /** What is shown, and what is left out. */
  readonly note: string
  /** The text behind a rendered preview. */
  readonly source?: HTMLElement
  /** Present if it can be edited here. */
  readonly text?: FileText | undefined
}

/** @throws {RequestFailed} */
export async function previewContent(client: Client, path: string): Promise<Preview> {
  const kind = kindOf(path)
  if (kind === 'binary')
    return noPreview('Files of this kind have no preview. Download it to open it.')
  if (kind === 'image') return imagePreview(path, await client.read(path, MAX_IMAGE_BYTES))
  const isTable = kind === 'table' || kind === 'json' || kind === 'lines'
  const content = await client.read(path, isTable ? MAX_TABLE_BYTES : MAX_TEXT_BYTES)
  const text = findText(content.bytes)
  if (text === null) return noPreview('This is not text. Download it to open it.')
  const shown = text === '' ? noPreview('The file is empty.') : await shownText(path, text, content)
  return { ...shown, text: findLines(content) }
}

async function shownText(path: string, text: string, content: Content): Promise<Preview> {
  const kind = kindOf(path)
  const plain = textPreview(text, content)
  const isCut = content.bytes.length < content.totalBytes
  if (kind === 'table') return { ...tablePreview(path, content), source: plain.element }
  if (kind === 'lines') return linesPreview(path, plain, content) ?? plain
  if (kind === 'json') return jsonPreview(path, text, content)
  const isRendered = kind === 'markdown' && !isCut && content.totalBytes <= MAX_MARKDOWN_BYTES
  if (!isRendered) return plain
  return { ...plain, element: await markdownFrame(path, text), source: plain.element }
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

function tablePreview(path: string, { bytes, totalBytes }: Content): Preview {
  const body = bytes.subarray(markLength(bytes))
  const isEnd = bytes.length >= totalBytes
  const { rows } = csvRows(body, { separator: separatorOf(path, body), isEnd })
  const count = countOf(Math.max(0, rows.length - 1), 'row')
  const note = isEnd ? formatBytes(totalBytes) : `The first ${count} of ${formatBytes(totalBytes)}`
  return { element: dataTable(tableOfCsv(rows), { label: path, detail: detailView }), note }
}

function textPreview(text: string, { bytes, totalBytes }: Content): Preview {
  const isCut = bytes.length < totalBytes
  const shown = text.slice(0, MAX_TEXT_BYTES)
  const note =
    isCut || shown.length < text.length
      ? `The first ${formatBytes(Math.min(bytes.length, MAX_TEXT_BYTES))} of ${formatBytes(totalBytes)}`
      : formatBytes(totalBytes)
  return { element: el('pre', { class: 'text', tabindex: 0 }, shown), note }
}

/** `null` unless every line is an object. */
function linesPreview(
  path: string,
  plain: Preview,
  { bytes, totalBytes }: Content,
): Preview | null {
  const isEnd = bytes.length >= totalBytes
  const { rows } = jsonLines(bytes.subarray(markLength(bytes)), { isEnd })
  const isBroken = rows.some((row) => row instanceof BrokenLine)
  const element = isBroken ? null : listView(rows, path)
  if (!element) return null
  const cut = `The first ${countOf(rows.length, 'row')} of ${formatBytes(totalBytes)}`
  return { element, note: isEnd ? plain.note : cut, source: plain.element }
}

function jsonPreview(path: string, text: string, content: Content): Preview {
  const value = parsed(text)
  const plain = textPreview(value === undefined ? text : JSON.stringify(value, null, 2), content)
  const element = listView(value, path)
  return element ? { ...plain, element, note: formatBytes(content.totalBytes) } : plain
}

/** `undefined` if truncated, not JSON, or with numbers that JavaScript would round. */
function parsed(text: string): unknown {
  if (/\d{16}/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
