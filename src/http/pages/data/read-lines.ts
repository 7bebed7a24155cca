/** Reads a page of a CSV or of JSON lines of any size, by at most three ranges. */
import { isUtf16, markLength } from '../../../formats/table/part-text.ts'
import { lineEndAfter } from '../../../formats/table/row-bounds.ts'
import type { ByteSource } from './byte-source.ts'
import { csvParser, parseLines, type ParsedPart, type ParsePart } from './line-parsers.ts'
import type { Place } from './place.ts'
import { PAGE_ROWS, type RowsPage } from './rows-page.ts'

/** Enough for the names of the columns, on pages that do not begin with them. */
const HEAD_BYTES = 64 * 1024
/** Enough for most pages; others are read up to the maximum. */
const FIRST_BYTES = 256 * 1024
const MAX_BYTES = 1024 * 1024

const CUT = 'A row is longer than 1 MiB. Its beginning is shown.'
const NO_ROW = 'No row begins in this part of the file: a line is longer than 1 MiB.'

export type LineKind = 'csv' | 'tsv' | 'lines'

/** Bytes of the file from `from` on. */
interface Window {
  readonly from: number
  readonly bytes: Uint8Array
  readonly isEnd: boolean
  readonly canGrow: boolean
}

interface ParsedWindow extends Window {
  /** Of the first row, in the file. */
  readonly start: number
  readonly part: ParsedPart
}

/** `undefined` for text in UTF-16, whose lines have other bytes. */
export async function readLines(
  source: ByteSource,
  kind: LineKind,
  place: Place,
): Promise<RowsPage | undefined> {
  const isLast = place.at === 'end'
  // From a byte earlier: only after a line end, a row starts at the place.
  const from = Math.max(0, place.at === 'end' ? source.size - FIRST_BYTES : place.at - 1)
  const [head, first] = await Promise.all([
    from === 0 || kind === 'lines' ? undefined : source.read(0, HEAD_BYTES),
    source.read(from, FIRST_BYTES),
  ])
  if (isUtf16(head ?? first)) return undefined
  const names = head?.subarray(markLength(head))
  const parse = kind === 'lines' ? parseLines : csvParser(kind === 'tsv' ? '\t' : undefined, names)
  const parsed = await parseEnough(source, windowOf(source, from, first, true), isLast, parse)
  return pageOf(source, kind, place, parsed)
}

function windowOf(source: ByteSource, from: number, bytes: Uint8Array, isFirst: boolean): Window {
  const isEnd = from + bytes.length >= source.size
  return { from, bytes, isEnd, canGrow: isFirst && !isEnd }
}

/** Reads on, or for the last page further back, if the first bytes have too few rows. */
async function parseEnough(
  source: ByteSource,
  first: Window,
  isLast: boolean,
  parse: ParsePart,
): Promise<ParsedWindow> {
  const parsed = (window: Window): ParsedWindow => {
    const { from, bytes, isEnd, canGrow } = window
    const start = from === 0 ? markLength(bytes) : (lineEndAfter(bytes, 0) ?? bytes.length)
    const options = { isEnd, canGrow, maxRows: PAGE_ROWS, keepsLast: isLast }
    const part = parse(bytes.subarray(start), options, from === 0)
    return { ...window, start: from + start, part }
  }
  const found = parsed(first)
  const isAll = isLast ? first.from === 0 : first.isEnd
  if (isAll || found.part.table.rows.length >= PAGE_ROWS) return found
  return parsed(await moreOf(source, first, isLast))
}

async function moreOf(source: ByteSource, first: Window, isLast: boolean): Promise<Window> {
  const { from, bytes } = first
  if (!isLast) {
    const rest = await source.read(from + bytes.length, MAX_BYTES - bytes.length)
    return windowOf(source, from, joined(bytes, rest), false)
  }
  const start = Math.max(0, source.size - MAX_BYTES)
  const before = await source.read(start, from - start)
  return windowOf(source, start, joined(before, bytes), false)
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function pageOf(
  source: ByteSource,
  kind: LineKind,
  place: Place,
  { from, start, part }: ParsedWindow,
): RowsPage {
  const { table, isCut, skipped } = part
  const isStart = from === 0
  const end = start + part.end
  // If no row starts at the place, the file is another one since, and the number is wrong.
  const counted = isStart ? 1 + skipped : start === place.at ? place.row : undefined
  const hasNext = end < source.size && place.at !== 'end'
  const nextRow = counted === undefined || isCut ? undefined : counted + table.rows.length
  return {
    table,
    isText: kind !== 'lines',
    firstRow: counted,
    totalRows: hasNext || nextRow === undefined ? undefined : nextRow - 1,
    percent: isStart ? 0 : (100 * start) / source.size,
    next: hasNext ? { at: end, row: nextRow } : undefined,
    last: hasNext ? { at: 'end' } : undefined,
    canJump: source.size > FIRST_BYTES,
    notes: [
      ...part.notes,
      ...(isCut ? [CUT] : []),
      ...(table.rows.length === 0 && hasNext && !isCut ? [NO_ROW] : []),
    ],
  }
}
