/** The values of JSON lines in a part of their bytes. */
import { parseJson } from '../../lib/json/parse-json.ts'
import { decoderOf } from './part-text.ts'
import { lineEndAfter, rowBounds, type PartOptions, type RowBounds } from './row-bounds.ts'

/** A line that is not JSON, as it is. */
export class BrokenLine {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export interface LinesPart extends Omit<RowBounds, 'bounds'> {
  readonly rows: readonly unknown[]
  readonly isLatin1: boolean
}

export function jsonLines(bytes: Uint8Array, options: PartOptions): LinesPart {
  const endAfter = (start: number) => lineEndAfter(bytes, start)
  const { bounds, ...part } = rowBounds(bytes, options, endAfter)
  const { decode, isLatin1 } = decoderOf(bytes.subarray(bounds[0]?.[0], bounds.at(-1)?.[1]))
  const rows = bounds.map(([start, end]) => findValue(decode(bytes.subarray(start, end)).trim()))
  return { ...part, rows, isLatin1 }
}

/** Integers beyond 53 bits stay exact, as text. */
export function findValue(text: string): unknown {
  try {
    return parseJson(text, (digits) => digits)
  } catch {
    // Not JSON, or nested more deeply than the stack allows.
    return new BrokenLine(text)
  }
}
