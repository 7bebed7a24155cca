/** Pages of single files: pictures, audio, video, text and code; of others the facts. */
import { decoderOf, isUtf16 } from '../../formats/table/part-text.ts'
import type { ByteSource } from './data/byte-source.ts'
import { visible } from './data/cells.ts'
import { fileHead, HEAD_STYLE, hrefTo, titleOf, type PageFile } from './file-head.ts'
import { pageFrame } from './page-frame.ts'

/** Of a page of text; a further page shows what follows. */
const TEXT_BYTES = 256 * 1024
const LINE_FEED = 0x0a

export type MediaKind = 'image' | 'audio' | 'video'

const STYLE = `
main { max-width: 64rem }
img, video { max-width: 100%; height: auto }
img { background: repeating-conic-gradient(#e3e5e8 0 25%, #fff 0 50%) 0 0 / 16px 16px }
audio { width: 100% }
pre { margin: 0; padding: .875rem 1rem; border-radius: 6px; background: var(--shade);
  overflow: auto; font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  tab-size: 4 }
.pages { display: flex; gap: 1.25rem; margin: 1rem 0 }`

/** The element gets the file by the same link, which is no page for it. */
export function mediaPage(file: PageFile, media: MediaKind, type: string): string {
  const source = hrefTo(file, '&raw=1')
  const name = titleOf(file)
  const element = {
    image: `<img src="${source}" alt="${name}">`,
    audio: `<audio controls preload="metadata" src="${source}"></audio>`,
    video: `<video controls preload="metadata" src="${source}"></video>`,
  }
  return page(file, type, element[media])
}

export function factsPage(file: PageFile, type: string): string {
  return page(file, type, '<p>Files of this kind are not shown here. Download it to open it.</p>')
}

/** @param at Where the page begins; lines are not cut unless they are longer than a page. */
export async function textPage(
  file: PageFile,
  source: ByteSource,
  type: string,
  at: number,
): Promise<string> {
  const read = await source.read(at, TEXT_BYTES)
  if (isUtf16(read)) return factsPage(file, `${type} in UTF-16`)
  const isEnd = at + read.length >= source.size
  const bytes = isEnd ? read : wholeLines(read)
  const { decode, isLatin1 } = decoderOf(bytes)
  const next = at + bytes.length
  const links = [
    at > 0 && `<a href="${hrefTo(file)}">First page</a>`,
    !isEnd && `<a rel="next" href="${hrefTo(file, `&at=${next}`)}">Next page</a>`,
  ].filter(Boolean)
  const pages = `<nav class="pages" aria-label="Pages">${links.join('')}</nav>`
  const text = `<pre tabindex="0" aria-label="Text">\n${visible(decode(bytes))}</pre>`
  const shown = bytes.length === 0 ? '<p>The file is empty.</p>' : text
  const main = links.length === 0 ? shown : `${shown}\n${pages}`
  return page(file, `${type}${isLatin1 ? ', not UTF-8, shown as Latin-1' : ''}`, main)
}

/** Or whole characters, of a line that is longer. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const lineEnd = bytes.lastIndexOf(LINE_FEED) + 1
  if (lineEnd > 0) return bytes.subarray(0, lineEnd)
  const lastStart = bytes.findLastIndex((byte) => byte < 0x80 || byte >= 0xc0)
  return lastStart > 0 ? bytes.subarray(0, lastStart) : bytes
}

function page(file: PageFile, kind: string, main: string): string {
  return pageFrame({
    title: titleOf(file),
    main: `${fileHead(file, kind)}\n${main}`,
    style: HEAD_STYLE + STYLE,
  })
}
