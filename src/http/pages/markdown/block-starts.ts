/** Recognizes the start of each kind of block. */
import type { BlockParser } from './blocks.ts'
import type { Line } from './line.ts'
import { normalizeLabel } from './targets.ts'
import type { Align } from './tree.ts'

/** A container may start more blocks on the same line; a leaf takes all of it. */
type Start = (parser: BlockParser, line: Line) => 'container' | 'leaf' | undefined

const MAX_PADDING = 4

const quote: Start = (parser, line) => {
  if (!line.text.startsWith('>') || !parser.hasRoom) return undefined
  line.takeMark(1)
  line.take(1)
  parser.open({ type: 'quote', children: [], indent: 0 })
  return 'container'
}

const heading: Start = (parser, { text }) => {
  const level = /^(#{1,6})(?:[ \t]|$)/.exec(text)?.[1]?.length
  if (level === undefined) return undefined
  const words = text.slice(level).trim()
  let end = words.length
  while (words[end - 1] === '#') end -= 1
  const isClosed = end === 0 || /[ \t]/.test(words[end - 1]!)
  parser.add({ type: 'heading', level, text: isClosed ? words.slice(0, end).trimEnd() : words })
  return 'leaf'
}

const fencedCode: Start = (parser, { text, indent }) => {
  const [, mark, info] = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(text) ?? []
  if (mark === undefined) return undefined
  parser.addLeaf({ type: 'code', lines: [], info: info!.trim(), fence: { mark, indent } })
  return 'leaf'
}

const underlinedHeading: Start = (parser, { text }) => {
  const { paragraph } = parser
  if (!paragraph || !/^(?:=+|-+)[ \t]*$/.test(text)) return undefined
  const words = parser.textOf(paragraph)
  if (words === '') return undefined
  parser.dropParagraph(paragraph)
  parser.add({ type: 'heading', level: text.startsWith('=') ? 1 : 2, text: words })
  return 'leaf'
}

const table: Start = (parser, { text }) => {
  const { paragraph } = parser
  const columns = paragraph && columnsOf(text)
  if (!columns) return undefined
  const heads = tableRow(paragraph.lines.at(-1) ?? '')
  if (heads.length !== columns.length) return undefined
  paragraph.lines.pop()
  parser.addLeaf({ type: 'table', aligns: columns, rows: [heads] })
  return 'leaf'
}

const thematicBreak: Start = (parser, { text }) => {
  if (!/^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(text)) return undefined
  parser.add({ type: 'break' })
  return 'leaf'
}

const item: Start = (parser, line) => {
  const found = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(line.text)
  if (!found || !parser.hasRoom) return undefined
  const [mark, digits] = found
  const isEmpty = line.text.trim() === mark
  // Only lists starting with 1 and non-empty items may interrupt a paragraph.
  if (parser.paragraph && (isEmpty || (digits !== undefined && Number(digits) !== 1))) {
    return undefined
  }
  const offset = line.indent + mark.length
  line.takeMark(mark.length)
  const padding = isEmpty || line.indent > MAX_PADDING ? 1 : line.indent
  line.take(padding)
  parser.openItem(mark.at(-1)!, offset + padding, digits === undefined ? undefined : Number(digits))
  return 'container'
}

const note: Start = (parser, line) => {
  const [mark, label] = /^\[\^([^\s[\]]+)\]:/.exec(line.text) ?? []
  if (mark === undefined || !parser.hasRoom || normalizeLabel(label!) === '') return undefined
  line.takeMark(mark.length)
  parser.openNote(normalizeLabel(label!))
  return 'container'
}

/** In order of precedence. */
export const STARTS: readonly Start[] = [
  quote,
  heading,
  fencedCode,
  underlinedHeading,
  table,
  thematicBreak,
  item,
  note,
]

/** Splits at unescaped bars, ignoring a leading and a trailing one. */
export function tableRow(line: string): string[] {
  const cells: string[] = []
  const text = line.trim()
  let start = text.startsWith('|') ? 1 : 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '|') {
      cells.push(cellOf(text.slice(start, at)))
      start = at + 1
    }
  }
  if (start < text.length) cells.push(cellOf(text.slice(start)))
  return cells
}

/** A backslash before a bar only escapes it for the table, even in code. */
function cellOf(text: string): string {
  return text.trim().replaceAll('\\|', '|')
}

/** The column alignments, if this is the delimiter row of a table. */
function columnsOf(line: string): Align[] | undefined {
  if (!/^[-:| \t]*$/.test(line) || !/[|:]/.test(line)) return undefined
  const cells = tableRow(line)
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  return cells.map((cell) => {
    const [isLeft, isRight] = [cell.startsWith(':'), cell.endsWith(':')]
    if (isLeft) return isRight ? 'center' : 'left'
    return isRight ? 'right' : undefined
  })
}
