/** Splits table lines into cells. */
import type { Align } from './tree.ts'

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
export function columnsOf(line: string): Align[] | undefined {
  if (!/^[-:| \t]*$/.test(line) || !/[|:]/.test(line)) return undefined
  const cells = tableRow(line)
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  return cells.map((cell) => {
    const [isLeft, isRight] = [cell.startsWith(':'), cell.endsWith(':')]
    if (isLeft) return isRight ? 'center' : 'left'
    return isRight ? 'right' : undefined
  })
}
