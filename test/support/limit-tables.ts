/** The tables of limits as the documentation shows them. */
import { FUEL_PER_SECOND, LIMIT_ROWS } from '../../src/limits.ts'

type Row = (typeof LIMIT_ROWS)[number][1]

const UNITS = { fuel: ', in fuel', bytes: ', in bytes', ms: ', in milliseconds', count: '' }

/** For people: what happens to a run. */
export const limitTable = () =>
  LIMIT_ROWS.map(([, row]) => [
    row.title,
    inWords(row.byDefault, row.unit),
    row.onWorkers === undefined ? '' : inWords(row.onWorkers, row.unit),
    row.atLimit,
  ])

/** For operators: what to set. */
export const limitSettingsTable = () =>
  LIMIT_ROWS.flatMap(([, { title, unit, byDefault, onWorkers, setting }]) => {
    if (!setting) return []
    const value = byDefault === Infinity ? '–' : String(byDefault)
    return [[`\`${setting.name}\``, value, String(onWorkers ?? ''), `${title}${UNITS[unit]}`]]
  })

export const limitFields = () =>
  LIMIT_ROWS.flatMap(([, { field }]) => (field ? [`limits.${field.name}`] : []))

function inWords(value: number, unit: Row['unit']): string {
  if (value === Infinity) return 'none'
  if (unit === 'fuel') return `about ${value / FUEL_PER_SECOND} s`
  if (unit === 'ms') return `${value / 1000} s`
  if (unit === 'count') return value.toLocaleString('en')
  const [size, name] =
    ([2 ** 30, 2 ** 20, 2 ** 10] as const)
      .map((bytes, i) => [bytes, ['GiB', 'MiB', 'KiB'][i]!] as const)
      .find(([bytes]) => value % bytes === 0) ?? ([1, 'bytes'] as const)
  return `${value / size} ${name}`
}

/** Cells of the rows of every Markdown table in a text, without their headings. */
export function cellsIn(text: string): string[][] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const isBody = line.startsWith('|') && !/^\|[ :|-]+$/.test(line)
    const isHeading = /^\|[ :|-]+$/.test(lines[i + 1] ?? '')
    if (!isBody || isHeading) return []
    return [
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    ]
  })
}
