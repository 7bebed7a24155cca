/** The rows of a CSV in a part of its bytes: a part needs nothing of the rest of the file. */
import { decoderOf } from './part-text.ts'
import { lineEndAfter, rowBounds, type PartOptions, type RowBounds } from './row-bounds.ts'

const LINE_FEED = 0x0a
const QUOTE = 0x22
const SEPARATORS = [',', ';', '\t', '|']
const MAX_SPLIT = 2 ** 32 - 1

export interface CsvOptions extends PartOptions {
  readonly separator: string
  /** Further cells of a row are left out. */
  readonly maxColumns?: number | undefined
}

export interface CsvPart extends Omit<RowBounds, 'bounds'> {
  readonly rows: readonly (readonly string[])[]
  /** Whether a quote has no end here: it and all after it are ordinary characters. */
  readonly hasOpenQuote: boolean
  readonly isLatin1: boolean
}

export function csvRows(bytes: Uint8Array, options: CsvOptions): CsvPart {
  const { separator, isEnd, canGrow = false, maxColumns = MAX_SPLIT } = options
  const ends = new RowEnds(bytes, separator)
  const { bounds, ...part } = rowBounds(bytes, options, (start) =>
    // A quote in a later row may end in the next part, where that row is the first.
    ends.after(start, isEnd || (start === 0 && !canGrow)),
  )
  const { decode, isLatin1 } = decoderOf(bytes.subarray(bounds[0]?.[0], bounds.at(-1)?.[1]))
  const rows = bounds.map(([start, end]) => {
    const line = decode(bytes.subarray(start, end)).replace(/\r?\n$/, '')
    const isPlain = start >= ends.openQuoteAt || !line.includes('"')
    return isPlain ? line.split(separator, maxColumns) : cellsOf(line, separator, maxColumns)
  })
  return { ...part, rows, hasOpenQuote: ends.openQuoteAt < Infinity, isLatin1 }
}

/** The most frequent in the first line; a comma if there is none. @param bytes From the start. */
export function separatorIn(bytes: Uint8Array): string {
  const line = bytes.subarray(0, lineEndAfter(bytes, 0))
  const bare = decoderOf(line)
    .decode(line)
    .replaceAll(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((separator) => bare.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!
}

/** Finds where rows end: at line ends that are not in quotes. */
class RowEnds {
  /** The row from which on quotes are ordinary characters. */
  openQuoteAt = Infinity
  readonly #bytes: Uint8Array
  readonly #separator: number
  #nextQuote = -1

  constructor(bytes: Uint8Array, separator: string) {
    this.#bytes = bytes
    this.#separator = separator.charCodeAt(0)
  }

  /**
   * `undefined` if the row goes on after the bytes.
   *
   * @param mayGiveUp Whether a quote without an end is to be an ordinary character.
   */
  after(start: number, mayGiveUp: boolean): number | undefined {
    const lineEnd = lineEndAfter(this.#bytes, start)
    const isPlain = this.openQuoteAt < Infinity || this.#quoteFrom(start) > (lineEnd ?? Infinity)
    if (isPlain) return lineEnd
    const end = this.#quotedEnd(start)
    if (end !== 'open') return end
    if (!mayGiveUp) return undefined
    // For the rest, too: looking for the end of each quote would take quadratic time.
    this.openQuoteAt = start
    return lineEnd
  }

  #quotedEnd(start: number): number | 'open' | undefined {
    const bytes = this.#bytes
    let isCellStart = true
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === LINE_FEED) return at + 1
      if (byte === QUOTE && isCellStart) {
        at = this.#closingQuote(at + 1)
        if (at === -1) return 'open'
      }
      isCellStart = byte === this.#separator
    }
    return undefined
  }

  #closingQuote(from: number): number {
    let at = this.#bytes.indexOf(QUOTE, from)
    while (at !== -1 && this.#bytes[at + 1] === QUOTE) at = this.#bytes.indexOf(QUOTE, at + 2)
    return at
  }

  #quoteFrom(start: number): number {
    if (this.#nextQuote < start) {
      const at = this.#bytes.indexOf(QUOTE, start)
      this.#nextQuote = at === -1 ? Infinity : at
    }
    return this.#nextQuote
  }
}

function cellsOf(line: string, separator: string, max: number): string[] {
  const cells: string[] = []
  for (let at = 0; at !== -1 && cells.length < max;) {
    const quoted = line[at] === '"' ? quotedText(line, at) : { text: '', end: at }
    const end = line.indexOf(separator, quoted.end)
    cells.push(quoted.text + line.slice(quoted.end, end === -1 ? undefined : end))
    at = end === -1 ? -1 : end + 1
  }
  return cells
}

/** @param start Of the opening quote; without a closing one, the text goes to the end. */
function quotedText(line: string, start: number): { text: string; end: number } {
  let end = line.indexOf('"', start + 1)
  while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2)
  const text = line.slice(start + 1, end === -1 ? undefined : end).replaceAll('""', '"')
  return { text, end: end === -1 ? line.length : end + 1 }
}
