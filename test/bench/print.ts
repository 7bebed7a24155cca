/** Table cells, shared by the terminal and the page. */
import { figure } from './bars.ts'
import type { Bar, Comparison, Growth, Row } from './results.ts'

/** By column heading. */
export type Cells = Record<string, string>

const OURS_IS_ONE = 'times ours'

export function cellsOfComparison({ rows, unit }: Comparison): Cells[] {
  const hasRatio = rows.some(({ ratio }) => ratio)
  const hasVersions = rows.some(({ version }) => version)
  const extra = [...new Set(rows.flatMap(({ more }) => Object.keys(more ?? {})))]
  return rows.map((row) => ({
    what: row.name,
    ...(hasVersions && { version: row.version ?? '' }),
    ...(hasRatio && { [OURS_IS_ONE]: row.ratio ? figure(row.ratio.median) : '' }),
    [unit]: row.value ? figure(row.value.median) : (row.missing ?? ''),
    'middle half': middleHalf(row),
    ...Object.fromEntries(extra.map((head) => [head, extraCell(row, head)])),
  }))
}

export function cellsOfGrowth({ lines, x, unit }: Growth): Cells[] {
  const places = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))]
  return lines.map(({ name, points, exponent }) => ({
    [`${unit} at … ${x}`]: name,
    ...Object.fromEntries(
      places.map((place) => {
        const found = points.find((point) => point.x === place)
        // The space keeps the order: integer-like keys would come first.
        return [`${place.toLocaleString('en-US')} `, found ? figure(found.value.median) : '']
      }),
    ),
    exponent: exponent.toFixed(2),
  }))
}

export function cellsOfBar({ what, bar, measured, isMet }: Bar): Cells {
  return { what, bar, measured, met: isMet === null ? '–' : isMet ? 'yes' : 'no' }
}

export function printTable(title: string, rows: readonly Cells[]): void {
  const heads = Object.keys(rows[0] ?? {})
  const widths = heads.map((head) => Math.max(head.length, ...rows.map((row) => row[head]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  console.info(`\n${title}`)
  console.info(line(heads))
  console.info(line(widths.map((width) => '-'.repeat(width))))
  for (const row of rows) console.info(line(heads.map((head) => row[head]!)))
}

/** Empty for a single value. */
function middleHalf({ value }: Row): string {
  return value && value.q1 !== value.q3 ? `${figure(value.q1)} – ${figure(value.q3)}` : ''
}

function extraCell({ more }: Row, head: string): string {
  const value = more?.[head]
  return value === undefined ? '' : figure(value)
}
