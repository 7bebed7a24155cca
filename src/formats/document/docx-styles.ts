/** What the styles and lists of a DOCX file say about its paragraphs. */
import { attributeOf } from '../office/xml-scanner.ts'
import type { ZipParts } from '../office/zip-parts.ts'

interface Style {
  readonly heading?: number | undefined
  readonly list?: string | undefined
  readonly level?: number | undefined
}

export type DocxStyles = ReadonlyMap<string, Style>

export interface Numbering {
  /** `undefined` for a list without marks. */
  kind(list: string, level: number): 'ordered' | 'bullet' | undefined
}

interface OpenStyle {
  readonly id: string
  heading?: number | undefined
  list?: string | undefined
  level?: number | undefined
  parent?: string | undefined
}

/** Built-in names are English in every language. */
function headingOf(name: string): number | undefined {
  const [, level] = /^heading ([1-9])$/i.exec(name) ?? []
  if (level !== undefined) return Number(level)
  return /^title$/i.test(name) ? 1 : undefined
}

export async function readStyles(parts: ZipParts, part: string | undefined): Promise<DocxStyles> {
  const styles = new Map<string, OpenStyle>()
  let style: OpenStyle | undefined
  for await (const tokens of partXml(parts, part)) {
    for (const token of tokens) {
      if (token.kind !== 'open') continue
      const value = (which = 'val') => attributeOf(token.attributes, which) ?? ''
      if (token.name === 'style') {
        style = { id: value('styleId') }
        styles.set(style.id, style)
      } else if (!style) continue
      else if (token.name === 'name') style.heading ??= headingOf(value())
      else if (token.name === 'basedOn') style.parent = value()
      else if (token.name === 'outlineLvl') style.heading ??= Number(value()) + 1
      else if (token.name === 'numId') style.list = value()
      else if (token.name === 'ilvl') style.level = Number(value())
    }
  }
  for (const each of styles.values()) inherit(each, styles)
  return styles
}

/** From the nearest style that it is based on. */
function inherit(style: OpenStyle, styles: ReadonlyMap<string, OpenStyle>): void {
  let ancestor = styles.get(style.parent ?? '')
  for (let steps = 0; ancestor && steps < 10; steps++) {
    style.heading ??= ancestor.heading
    style.list ??= ancestor.list
    ancestor = styles.get(ancestor.parent ?? '')
  }
}

export async function readNumbering(parts: ZipParts, part: string | undefined): Promise<Numbering> {
  const formats = new Map<string, string>()
  const templates = new Map<string, string>()
  let template = ''
  let level = ''
  let list = ''
  for await (const tokens of partXml(parts, part)) {
    for (const token of tokens) {
      if (token.kind !== 'open') continue
      const value = (which = 'val') => attributeOf(token.attributes, which) ?? ''
      if (token.name === 'abstractNum') template = value('abstractNumId')
      else if (token.name === 'lvl') level = value('ilvl')
      else if (token.name === 'numFmt') formats.set(`${template} ${level}`, value())
      else if (token.name === 'num') list = value('numId')
      else if (token.name === 'abstractNumId') templates.set(list, value())
    }
  }
  return {
    kind(wanted, at) {
      const format = formats.get(`${templates.get(wanted) ?? ''} ${at}`)
      if (format === undefined || format === 'none') return undefined
      return format === 'bullet' ? 'bullet' : 'ordered'
    },
  }
}

/** Nothing, if there is no such part. */
async function* partXml(parts: ZipParts, part: string | undefined) {
  if (part !== undefined && parts.has(part)) yield* parts.xml(part)
}
