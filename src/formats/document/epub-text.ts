/** The text of an EPUB file as Markdown, chapter by chapter. */
import { FormatError, type FormatHost } from '../format-host.ts'
import { resolvePart } from '../office/relationships.ts'
import { attributeOf } from '../office/xml-scanner.ts'
import type { ZipParts } from '../office/zip-parts.ts'
import { htmlText } from './html/html-text.ts'
import { joinPages, type WantsPage } from './pages.ts'
import type { TextRoom } from './text-room.ts'

const FUEL_PER_CHARACTER = 20
/** Hide fonts, not text. */
const FONT_METHODS = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']

/** @throws {FormatError} */
export async function epubText(
  parts: ZipParts,
  host: Pick<FormatHost, 'work'>,
  room: TextRoom,
  wants: WantsPage,
  file: string,
): Promise<string> {
  await assertReadable(parts, file)
  const root = await firstAttribute(parts, 'META-INF/container.xml', 'rootfile', 'full-path')
  if (root === undefined || !parts.has(root)) {
    throw new FormatError(`${file}: does not say where its contents are`)
  }
  const chapters = await chaptersOf(parts, root)
  const texts: [number, string][] = []
  for (const [i, chapter] of chapters.entries()) {
    if (!wants(i + 1)) continue
    const html = await parts.text(chapter)
    await host.work(html.length * FUEL_PER_CHARACTER)
    const text = htmlText(html, room)
    if (text.trim() !== '') texts.push([i + 1, text])
  }
  return joinPages(texts, chapters.length, file)
}

async function chaptersOf(parts: ZipParts, root: string): Promise<string[]> {
  const folder = root.slice(0, root.lastIndexOf('/') + 1)
  const targets = new Map<string, string>()
  const chapters: string[] = []
  for await (const tokens of parts.xml(root)) {
    for (const token of tokens) {
      if (token.kind !== 'open') continue
      const attribute = (name: string) => attributeOf(token.attributes, name) ?? ''
      if (token.name === 'item') targets.set(attribute('id'), attribute('href'))
      if (token.name !== 'itemref') continue
      const href = targets.get(attribute('idref'))
      if (href === undefined) continue
      const target = resolvePart(folder, decoded(href.replace(/[#?].*$/, '')))
      if (parts.has(target)) chapters.push(target)
    }
  }
  return chapters
}

async function assertReadable(parts: ZipParts, file: string): Promise<void> {
  const part = 'META-INF/encryption.xml'
  if (!parts.has(part)) return
  for await (const tokens of parts.xml(part)) {
    for (const token of tokens) {
      if (token.kind !== 'open' || token.name !== 'EncryptionMethod') continue
      if (FONT_METHODS.includes(attributeOf(token.attributes, 'Algorithm') ?? '')) continue
      throw new FormatError(`${file}: is encrypted: only the seller's reader app can open it`)
    }
  }
}

async function firstAttribute(parts: ZipParts, part: string, element: string, name: string) {
  if (!parts.has(part)) return undefined
  for await (const tokens of parts.xml(part)) {
    for (const token of tokens) {
      if (token.kind === 'open' && token.name === element)
        return attributeOf(token.attributes, name)
    }
  }
  return undefined
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
