/** Cells: one line each; nested values and long texts open below the row. */
import { button, el } from '../page/dom.ts'
import { countOf } from '../page/format.ts'
import { isNumeric, textOf } from './table-data.ts'

const MAX_WIDTH = 48
const MIN_WIDTH = 6
/** Room for the padding, and in the head for the arrow. */
const SPARE_WIDTH = 5
const SAMPLED_ROWS = 300

export interface ColumnLook {
  /** In characters. */
  readonly width: number
  readonly isNumeric: boolean
}

/** From the first rows: all of them would have to be measured for an exact width. */
export function columnLook(
  name: string,
  rows: readonly (readonly unknown[])[],
  column: number,
): ColumnLook {
  const texts = rows.slice(0, SAMPLED_ROWS).map((row) => shortText(row[column]))
  const longest = texts.reduce((most, text) => Math.max(most, text.length), name.length)
  const filled = texts.filter((text) => text !== '')
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest)) + SPARE_WIDTH,
    isNumeric: filled.length > 0 && filled.every(isNumeric),
  }
}

interface DetailToggle {
  readonly isOpen: boolean
  press(): void
}

export function cellView(value: unknown, look: ColumnLook, toggle: DetailToggle): HTMLElement {
  const text = shortText(value)
  const classes = `${kindOf(value)}${look.isNumeric ? ' number' : ''}`
  if (!opens(value)) return el('td', { class: classes }, text)
  const opener = button(text, toggle.press, {
    class: 'opener',
    'aria-expanded': String(toggle.isOpen),
  })
  return el('td', { class: classes }, opener)
}

function opens(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_WIDTH || value.includes('\n')
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'none'
  return value === null ? 'null' : `is-${typeof value}`
}

function shortText(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return opens(value) ? `${firstLine(value)}…` : value
  if (!opens(value)) return textOf(value)
  if (Array.isArray(value)) return countOf(value.length, 'item')
  return countOf(Object.keys(value as object).length, 'field')
}

function firstLine(text: string): string {
  return text.slice(0, MAX_WIDTH).split('\n', 1)[0]!
}
