/** Which pages of a document are wanted, such as "1-3,7". */
import { FormatError } from '../format-host.ts'

const MAX_RANGES = 100

/** Pages count from 1. */
export type WantsPage = (page: number) => boolean

/** All if none are named. @throws {FormatError} */
export function parsePages(pages: unknown): WantsPage {
  if (pages === undefined || pages === null) return () => true
  const text = typeof pages === 'number' ? String(pages) : pages
  const ranges = typeof text === 'string' ? text.split(',').map(rangeOf) : [undefined]
  if (ranges.length > MAX_RANGES || ranges.some((range) => range === undefined)) {
    throw new FormatError('pages must be like "3", "1-3", "5-" or "1-3,7"')
  }
  return (page) => ranges.some((range) => page >= range![0] && page <= range![1])
}

function rangeOf(text: string): readonly [number, number] | undefined {
  const [, first, dash, last] = /^\s*([1-9]\d{0,6})(-([1-9]\d{0,6})?)?\s*$/.exec(text) ?? []
  if (first === undefined) return undefined
  const end = last === undefined ? (dash === undefined ? Number(first) : Infinity) : Number(last)
  return end >= Number(first) ? [Number(first), end] : undefined
}

function pageMark(page: number): string {
  return `<!-- page ${page} -->`
}

/** Texts of pages with their marks. @throws {FormatError} if none of the wanted pages exists. */
export function joinPages(
  texts: readonly (readonly [number, string])[],
  count: number,
  file: string,
): string {
  if (texts.length === 0 && count > 0) {
    throw new FormatError(
      `${file}: has ${count} ${count === 1 ? 'page' : 'pages'}, none of those asked for`,
    )
  }
  return texts.map(([page, text]) => `${pageMark(page)}\n\n${text.trim()}\n`).join('\n')
}
