/** Rows with columns, as a page shows them. */
import { BrokenLine } from './json-lines.ts'

export interface Table {
  /** May repeat or be empty in a CSV. */
  readonly columns: readonly string[]
  /** Cells by column; `undefined` where a row has none. */
  readonly rows: readonly (readonly unknown[])[]
  /** Whether columns are left out. */
  readonly isNarrowed: boolean
}

/** For values that are no objects. */
const VALUE = 'value'

/** @param head The names. */
export function tableOfCells(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  maxColumns = Infinity,
): Table {
  const width = rows.reduce((most, row) => Math.max(most, row.length), head.length)
  const shown = Math.min(width, maxColumns)
  const columns = Array.from({ length: shown }, (_, i) => head[i] ?? '')
  return { columns, rows: rows.map((row) => row.slice(0, shown)), isNarrowed: width > shown }
}

/** Columns are all fields of the values, in the order in which they appear. */
export function tableOfValues(values: readonly unknown[], maxColumns: number): Table {
  const places = new Map<string, number>()
  let isNarrowed = false
  const rows = values.map((value) => {
    const row: unknown[] = []
    for (const [name, field] of fieldsOf(value)) {
      if (!places.has(name) && places.size === maxColumns) {
        isNarrowed = true
        continue
      }
      if (!places.has(name)) places.set(name, places.size)
      row[places.get(name)!] = field
    }
    return row
  })
  return { columns: [...places.keys()], rows, isNarrowed }
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((item, i) => [String(i + 1), item])
  const isObject = typeof value === 'object' && value !== null && !(value instanceof BrokenLine)
  return isObject ? Object.entries(value) : [[VALUE, value]]
}

/** The text of a cell; nested values as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (value instanceof BrokenLine) return value.text
  if (typeof value === 'bigint') return String(value)
  try {
    return JSON.stringify(value, exactly) ?? ''
  } catch {
    // Nested more deeply than the stack allows.
    return '…'
  }
}

/** JSON has no integers of their own. */
function exactly(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
