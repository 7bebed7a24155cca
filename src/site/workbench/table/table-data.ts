/** Rows and columns, from a list of objects or a CSV, with their order and their text. */

export interface TableData {
  /** May repeat or be empty in a CSV. */
  readonly columns: readonly string[]
  /** Cells by column; `undefined` where a row has none. */
  readonly rows: readonly (readonly unknown[])[]
}

/** More columns than that are probably a map with keys for names. */
const MAX_COLUMNS = 200

/** `null` unless it is a list of objects. */
export function tableOfObjects(value: unknown): TableData | null {
  if (!Array.isArray(value) || value.length === 0) return null
  const names = new Set<string>()
  for (const item of value as unknown[]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
    for (const name of Object.keys(item)) names.add(name)
    if (names.size > MAX_COLUMNS) return null
  }
  const columns = [...names]
  const rows = (value as Readonly<Record<string, unknown>>[]).map((item) =>
    // Not what an object inherits.
    columns.map((name) => (Object.hasOwn(item, name) ? item[name] : undefined)),
  )
  return columns.length === 0 ? null : { columns, rows }
}

/** The first row has the names. */
export function tableOfCsv([head = [], ...rows]: readonly (readonly string[])[]): TableData {
  const width = rows.reduce((most, row) => Math.max(most, row.length), head.length)
  const columns = Array.from({ length: width }, (_, i) => head[i] ?? '')
  return { columns, rows }
}

export interface Sorting {
  readonly column: number
  readonly isDescending: boolean
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i
const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Positions of the rows: numbers first, then text; empty cells always last. Keeps ties. */
export function sortedRows({ rows }: TableData, sorting: Sorting | null): number[] {
  const order = rows.map((_, row) => row)
  if (!sorting) return order
  const keys = rows.map((row) => sortKey(row[sorting.column]))
  const sign = sorting.isDescending ? -1 : 1
  return order.sort((a, b) => {
    const [one, other] = [keys[a]!, keys[b]!]
    if (one === '' || other === '') return Number(one === '') - Number(other === '')
    return sign * compareKeys(one, other)
  })
}

function compareKeys(one: number | string, other: number | string): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1
  return typeof other === 'number' ? 1 : words.compare(one, other)
}

/** Numbers in a CSV are text. */
function sortKey(value: unknown): number | string {
  if (typeof value === 'number') return value
  const text = textOf(value)
  return isNumeric(text) ? Number(text) : text
}

export function isNumeric(text: string): boolean {
  return NUMBER.test(text)
}

/** As in a cell of a CSV. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}

/** RFC 4180. */
export function toCsv(
  { columns, rows }: TableData,
  shown: readonly number[],
  order: readonly number[],
): string {
  const line = (cells: readonly unknown[]) =>
    `${shown.map((column) => quoted(textOf(cells[column]))).join(',')}\r\n`
  return line(columns) + order.map((row) => line(rows[row]!)).join('')
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
