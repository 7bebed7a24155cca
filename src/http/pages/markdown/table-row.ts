/** Cells of a line in a table. */
import type { Align } from './tree.ts'

/** Divided by bars, except escaped ones; those at both ends divide nothing. */
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

/** Also in code a backslash before a bar is there for the table alone. */
function cellOf(text: string): string {
  return text.trim().replaceAll('\\|', '|')
}

/** The columns, if this is the line under the headings of a table. */
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
