/** The text of a PPTX file as Markdown, slide by slide. */
import { FormatError } from '../format-host.ts'
import { relationshipsOf } from '../office/relationships.ts'
import { attributeOf, type XmlToken } from '../office/xml-scanner.ts'
import type { ZipParts } from '../office/zip-parts.ts'
import { MarkdownBuilder } from './markdown-builder.ts'
import { joinPages, type WantsPage } from './pages.ts'
import type { TextRoom } from './text-room.ts'

const TITLES = ['title', 'ctrTitle']
/** Date, footer and number of a slide. */
const FURNITURE = ['dt', 'ftr', 'sldNum']
const MAX_LEVEL = 8

/** @throws {FormatError} */
export async function pptxText(
  parts: ZipParts,
  room: TextRoom,
  wants: WantsPage,
  file: string,
): Promise<string> {
  const [main] = (await relationshipsOf(parts, '')).filter(({ kind }) => kind === 'officeDocument')
  const name = main?.target ?? 'ppt/presentation.xml'
  if (!parts.has(name)) throw new FormatError(`${file}: has no presentation part (${name})`)
  const links = await relationshipsOf(parts, name)
  const slides: string[] = []
  for await (const tokens of parts.xml(name)) {
    for (const token of tokens) {
      if (token.kind !== 'open' || token.name !== 'sldId') continue
      // `id` without a prefix is another attribute.
      const id = /\w:id\s*=\s*["']([^"']*)/.exec(token.attributes)?.[1]
      const link = links.find((each) => each.id === id)
      if (link && parts.has(link.target)) slides.push(link.target)
    }
  }
  const texts: [number, string][] = []
  for (const [i, slide] of slides.entries()) {
    if (wants(i + 1)) texts.push([i + 1, await slideText(parts, slide, room)])
  }
  return joinPages(texts, slides.length, file)
}

async function slideText(parts: ZipParts, slide: string, room: TextRoom): Promise<string> {
  const reader = new SlideReader(room)
  for await (const tokens of parts.xml(slide)) {
    for (const token of tokens) reader.take(token)
  }
  return reader.finish()
}

class SlideReader {
  readonly #out: MarkdownBuilder
  /** The kind of the shape's placeholder; `undefined` for a plain shape. */
  #placeholder: string | undefined
  #level = 0
  #lists = 0
  #isText = false
  #fallbacks = 0

  constructor(room: TextRoom) {
    this.#out = new MarkdownBuilder(room)
  }

  take(token: XmlToken): void {
    if (token.kind === 'text') {
      if (this.#isText && this.#fallbacks === 0 && !this.#isFurniture) this.#out.text(token.text)
      return
    }
    const isOpen = token.kind === 'open'
    if (token.name === 'Fallback' && !(isOpen && token.isEmpty)) this.#fallbacks += isOpen ? 1 : -1
    if (this.#fallbacks > 0) return
    if (isOpen) this.#open(token.name, token.attributes, token.isEmpty)
    if (!isOpen || token.isEmpty) this.#close(token.name)
  }

  finish(): string {
    this.#closeLists(0)
    return this.#out.finish()
  }

  #open(name: string, attributes: string, isEmpty: boolean): void {
    if (name === 'sp' || name === 'graphicFrame') this.#placeholder = undefined
    else if (name === 'ph') this.#placeholder = attributeOf(attributes, 'type') ?? 'body'
    else if (name === 'p') this.#startParagraph(0)
    else if (name === 'pPr') this.#startParagraph(Number(attributeOf(attributes, 'lvl') ?? 0))
    else if (name === 'buNone') this.#closeLists(0)
    else if (name === 'buChar' || name === 'buAutoNum') this.#startItem()
    else if (name === 't') this.#isText = !isEmpty
    else if (name === 'br') this.#out.breakLine()
    else if (name === 'tbl') this.#out.openTable()
    else if (name === 'tr') this.#out.openRow()
    else if (name === 'tc') this.#out.openCell()
  }

  #close(name: string): void {
    if (name === 'p') this.#out.endBlock()
    else if (name === 't') this.#isText = false
    else if (name === 'tbl') this.#out.closeTable()
    else if (name === 'sp') this.#closeLists(0)
  }

  get #isTitle(): boolean {
    return TITLES.includes(this.#placeholder ?? '')
  }

  get #isFurniture(): boolean {
    return FURNITURE.includes(this.#placeholder ?? '')
  }

  #startParagraph(level: number): void {
    this.#out.endBlock()
    this.#level = level
    if (this.#isTitle) this.#out.startHeading(1)
    else if (this.#placeholder === 'body' || this.#placeholder === 'obj') this.#startItem()
    else this.#closeLists(0)
  }

  #startItem(): void {
    if (this.#isTitle) return
    const depth = Math.min(this.#level, MAX_LEVEL) + 1
    this.#closeLists(depth)
    while (this.#lists < depth) {
      this.#out.openList(false)
      this.#lists++
    }
    this.#out.startItem()
  }

  #closeLists(depth: number): void {
    while (this.#lists > depth) {
      this.#out.closeList()
      this.#lists--
    }
  }
}
