/** Where rows are in a part of a file, found without reading their cells. */

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** What part of a file the bytes are; a row starts at the first. */
export interface PartOptions {
  /** Whether the bytes reach the end of the file, so that their last row is whole. */
  readonly isEnd: boolean
  /** Whether the reader could have more bytes. */
  readonly canGrow?: boolean | undefined
  readonly maxRows?: number | undefined
  /** Whether to keep the last of the rows instead of the first. */
  readonly keepsLast?: boolean | undefined
}

export interface RowBounds {
  /** Pairs of start and end; rows of empty lines are left out. */
  readonly bounds: readonly (readonly [number, number])[]
  /** How many rows are before those. */
  readonly skipped: number
  /** Where the next row starts. */
  readonly end: number
  /** Whether the only row goes on after the bytes. */
  readonly isCut: boolean
}

/** @param endAfter Finds the end of the row that starts here, if it is in the bytes. */
export function rowBounds(
  bytes: Uint8Array,
  { isEnd, maxRows = Infinity, keepsLast = false }: PartOptions,
  endAfter: (start: number) => number | undefined,
): RowBounds {
  const bounds: (readonly [number, number])[] = []
  const maxBounds = keepsLast ? Infinity : maxRows
  let start = 0
  while (start < bytes.length && bounds.length < maxBounds) {
    const end = endAfter(start) ?? (isEnd ? bytes.length : undefined)
    if (end === undefined) break
    if (!isEmptyLine(bytes, start, end)) bounds.push([start, end])
    start = end
  }
  const isCut = start === 0 && bytes.length > 0
  if (isCut) return { bounds: [[0, bytes.length]], skipped: 0, end: bytes.length, isCut }
  const skipped = keepsLast ? Math.max(0, bounds.length - maxRows) : 0
  return { bounds: bounds.slice(skipped), skipped, end: start, isCut }
}

export function lineEndAfter(bytes: Uint8Array, start: number): number | undefined {
  const at = bytes.indexOf(LINE_FEED, start)
  return at === -1 ? undefined : at + 1
}

function isEmptyLine(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    bytes[start] === LINE_FEED ||
    (end === start + 2 && bytes[start] === CARRIAGE_RETURN && bytes[start + 1] === LINE_FEED)
  )
}
