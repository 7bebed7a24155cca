/** Parses the first rows of CSV: quotes, doubled quotes, line breaks in cells. */

/** @param maxRows The rest is not read. */
export function parseCsv(text: string, separator: string, maxRows: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  let position = text.startsWith('\ufeff') ? 1 : 0

  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }

  for (; position < text.length && rows.length < maxRows; position++) {
    const char = text[position]!
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[position + 1] === '"') {
        cell += '"'
        position++
      } else isQuoted = false
    } else if (char === '"' && cell === '') isQuoted = true
    else if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  if (rows.length < maxRows && (cell !== '' || row.length > 0)) endRow()
  return rows
}
