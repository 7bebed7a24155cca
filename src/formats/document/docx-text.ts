/** The text of a DOCX file as Markdown, in one pass over its XML. */
import { FormatError } from '../format-host.ts'
import { relationshipsOf } from '../office/relationships.ts'
import { attributeOf, type XmlToken } from '../office/xml-scanner.ts'
import type { ZipParts } from '../office/zip-parts.ts'
import { readNumbering, readStyles, type DocxStyles, type Numbering } from './docx-styles.ts'
import { MarkdownBuilder } from './markdown-builder.ts'
import type { TextRoom } from './text-room.ts'

/** Deleted text, field codes, and the second form of what older programs cannot show. */
const SKIPPED = new Set(['del', 'moveFrom', 'instrText', 'Fallback', 'rPrChange', 'pPrChange'])
const MAX_LEVEL = 8

/** @throws {FormatError} */
export async function docxText(parts: ZipParts, room: TextRoom, file: string): Promise<string> {
  const [main] = (await relationshipsOf(parts, '')).filter(({ kind }) => kind === 'officeDocument')
  const name = main?.target ?? 'word/document.xml'
  if (!parts.has(name)) throw new FormatError(`${file}: has no text part (${name})`)
  const links = await relationshipsOf(parts, name)
  const partOf = (kind: string) => links.find((link) => link.kind === kind)?.target
  const styles = await readStyles(parts, partOf('styles'))
  const numbering = await readNumbering(parts, partOf('numbering'))
  const reader = new DocxReader(room, styles, numbering)
  for (const part of [name, partOf('footnotes'), partOf('endnotes')]) {
    if (part === undefined || !parts.has(part)) continue
    for await (const tokens of parts.xml(part)) {
      for (const token of tokens) reader.take(token)
    }
    if (part === name && !reader.isComplete) throw new FormatError(`${file}: is cut off`)
  }
  return reader.finish()
}

class DocxReader {
  readonly #out: MarkdownBuilder
  readonly #styles: DocxStyles
  readonly #numbering: Numbering
  /** Open lists, by their number and level. */
  #lists: string[] = []
  #style: string | undefined
  #list: string | undefined
  #level: number | undefined
  #outline: number | undefined
  /** Of a note whose first paragraph is still to come. */
  #label: string | undefined
  #isInProperties = false
  #isText = false
  #skipped: string | undefined
  #skippedDepth = 0
  #tables = 0
  isComplete = false

  constructor(room: TextRoom, styles: DocxStyles, numbering: Numbering) {
    this.#out = new MarkdownBuilder(room)
    this.#styles = styles
    this.#numbering = numbering
  }

  take(token: XmlToken): void {
    if (token.kind === 'text') {
      if (this.#isText && this.#skipped === undefined) this.#out.text(token.text)
      return
    }
    if (this.#isSkipping(token)) return
    if (token.kind === 'open') {
      this.#open(token.name, token.attributes, token.isEmpty)
      if (token.isEmpty) this.#close(token.name)
    } else this.#close(token.name)
  }

  finish(): string {
    this.#closeLists(0)
    return this.#out.finish()
  }

  #isSkipping(token: Exclude<XmlToken, { kind: 'text' }>): boolean {
    const { name } = token
    if (this.#skipped === undefined) {
      const begins = token.kind === 'open' && !token.isEmpty && SKIPPED.has(name)
      if (!begins) return false
      this.#skipped = name
      this.#skippedDepth = 0
    }
    if (name === this.#skipped) {
      if (token.kind === 'close') this.#skippedDepth--
      else if (!token.isEmpty) this.#skippedDepth++
    }
    if (this.#skippedDepth === 0) this.#skipped = undefined
    return true
  }

  #open(name: string, attributes: string, isEmpty: boolean): void {
    const value = (which = 'val') => attributeOf(attributes, which)
    if (this.#isInProperties) return this.#takeProperty(name, value)
    if (name === 'p') this.#startParagraph()
    else if (name === 'pPr') this.#isInProperties = !isEmpty
    else if (name === 't') this.#isText = !isEmpty
    else if (name === 'tab') this.#out.text(' ')
    else if (name === 'noBreakHyphen') this.#out.text('-')
    else if (name === 'br' || name === 'cr') this.#out.breakLine()
    else if (name === 'tbl') this.#openTable()
    else if (name === 'tr') this.#out.openRow()
    else if (name === 'tc') this.#out.openCell()
    else if (name === 'footnoteReference' || name === 'endnoteReference') {
      this.#out.text(`[${value('id') ?? ''}]`)
    } else if (name === 'footnote' || name === 'endnote')
      this.#startNote(value('id'), value('type'))
  }

  #close(name: string): void {
    if (name === 'pPr') this.#endProperties()
    else if (name === 'p') this.#out.endBlock()
    else if (name === 't') this.#isText = false
    else if (name === 'tbl') {
      this.#out.closeTable()
      this.#tables = Math.max(0, this.#tables - 1)
    } else if (name === 'document') this.isComplete = true
  }

  #startParagraph(): void {
    this.#out.endBlock()
    this.#style = this.#list = this.#level = this.#outline = undefined
    if (this.#label !== undefined) this.#out.text(this.#label)
    this.#label = undefined
  }

  #takeProperty(name: string, value: () => string | undefined): void {
    if (name === 'pStyle') this.#style = value()
    else if (name === 'numId') this.#list = value()
    else if (name === 'ilvl') this.#level = Number(value())
    else if (name === 'outlineLvl') this.#outline = Number(value())
  }

  #endProperties(): void {
    this.#isInProperties = false
    const style = this.#style === undefined ? undefined : this.#styles.get(this.#style)
    const heading = this.#outline === undefined ? style?.heading : this.#outline + 1
    if (heading !== undefined && heading >= 1 && heading <= 9) {
      this.#closeLists(0)
      this.#out.startHeading(heading)
      return
    }
    const list = this.#list ?? style?.list
    const level = Math.min(this.#level ?? style?.level ?? 0, MAX_LEVEL)
    const kind = list === undefined || list === '0' ? undefined : this.#numbering.kind(list, level)
    if (list === undefined || kind === undefined || this.#tables > 0) return this.#closeLists(0)
    this.#closeLists(level + 1)
    if (this.#lists.length === level + 1 && this.#lists[level] !== list) this.#closeLists(level)
    while (this.#lists.length < level + 1) {
      this.#out.openList(kind === 'ordered')
      this.#lists.push(list)
    }
    this.#out.startItem()
  }

  #closeLists(level: number): void {
    while (this.#lists.length > level) {
      this.#out.closeList()
      this.#lists.pop()
    }
  }

  #openTable(): void {
    this.#closeLists(0)
    this.#out.openTable()
    this.#tables++
  }

  /** Those with a type are lines between text and notes. */
  #startNote(id: string | undefined, type: string | undefined): void {
    this.#closeLists(0)
    if (type === undefined || type === 'normal') this.#label = `[${id ?? ''}] `
  }
}
