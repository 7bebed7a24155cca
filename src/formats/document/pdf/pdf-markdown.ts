/** Guesses from the layout: large letters are headings, bullets items, aligned cells tables. */
import { markdownTable } from '../markdown-builder.ts'
import type { PdfLine } from './pdf-lines.ts'

const BULLET = /^[\u2022\u2023\u25aa\u25cf\u25e6\u2043\u2219\u00b7\uf0b7\uf0a7\u2013]\s*/
const MAX_HEADING_LENGTH = 120
/** Of the body's height, by level. */
const HEADING_RATIOS = [1.7, 1.35, 1.15]
/** Between lines of one paragraph, of their height. */
const MAX_GAP = 1.7
const MIN_TABLE_ROWS = 3
/** Of columns, in points. */
const MAX_SHIFT = 3

/** The pages as Markdown. */
export function pagesMarkdown(
  pages: readonly (readonly [number, readonly PdfLine[]])[],
): [number, string][] {
  const body = bodyHeight(pages.flatMap(([, lines]) => lines))
  return pages.map(([number, lines]) => [number, pageMarkdown(lines, body)])
}

function pageMarkdown(lines: readonly PdfLine[], body: number): string {
  const blocks: string[] = []
  for (let i = 0; i < lines.length;) {
    const rows = tableAt(lines, i)
    if (rows.length >= MIN_TABLE_ROWS) {
      blocks.push(markdownTable(rows.map(({ cells }) => cells.map(({ text }) => text))))
      i += rows.length
      continue
    }
    const line = lines[i]!
    const last = lines[i - 1]
    const level = headingLevel(line, body)
    const isNear = last && Math.abs(last.y - line.y) <= MAX_GAP * Math.max(line.height, 1)
    const text = level > 0 ? `${'#'.repeat(level)} ${line.text}` : line.text.replace(BULLET, '- ')
    const isSame = isNear && level === 0 && headingLevel(last, body) === 0
    if (isSame && blocks.length > 0 && !blocks.at(-1)!.startsWith('|')) {
      blocks.push(`${blocks.pop()!}\n${text}`)
    } else blocks.push(text)
    i++
  }
  return blocks.join('\n\n')
}

/** Lines from here on with the same columns. */
function tableAt(lines: readonly PdfLine[], from: number): readonly PdfLine[] {
  const first = lines[from]!
  if (first.cells.length < 2) return []
  let end = from + 1
  while (end < lines.length && hasSameColumns(first, lines[end]!)) end++
  return lines.slice(from, end)
}

/** Numbers end at the same place, other cells begin there. */
function hasSameColumns(one: PdfLine, other: PdfLine): boolean {
  if (one.cells.length !== other.cells.length) return false
  return one.cells.every(({ start, end }, i) => {
    const { start: otherStart, end: otherEnd } = other.cells[i]!
    return Math.abs(start - otherStart) <= MAX_SHIFT || Math.abs(end - otherEnd) <= MAX_SHIFT
  })
}

/** 0 if it is none. */
function headingLevel({ text, height }: PdfLine, body: number): number {
  if (text.length > MAX_HEADING_LENGTH || body === 0 || !/\p{L}/u.test(text)) return 0
  return HEADING_RATIOS.findIndex((ratio) => height >= ratio * body) + 1
}

/** That of most letters. */
function bodyHeight(lines: readonly PdfLine[]): number {
  const letters = new Map<number, number>()
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
  }
  let most = 0
  let body = 0
  for (const [height, count] of letters) {
    if (count <= most) continue
    most = count
    body = height
  }
  return body
}
