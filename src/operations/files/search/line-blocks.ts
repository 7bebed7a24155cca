/** Cuts a stream of bytes into blocks of whole lines. */
import { copyOf } from '../../../storage/object-body.ts'

const NEWLINE = 10

export interface LineBlock {
  /** Where it begins in the stream. */
  readonly start: number
  /** Ends with a line end, except for the last line and one that was cut. */
  readonly bytes: Uint8Array
  /** Its last line was too long, and goes on. */
  readonly isCut: boolean
}

/**
 * @param blockBytes Of a block, unless a line is longer.
 * @param lineBytes Of a line: what follows up to the line's end is left out.
 */
export async function* lineBlocks(
  pieces: AsyncIterable<Uint8Array>,
  blockBytes: number,
  lineBytes: number,
): AsyncGenerator<LineBlock> {
  let rest: Uint8Array[] = []
  let restBytes = 0
  let start = 0
  let isLeftOut = false
  for await (const part of partsOf(pieces, blockBytes)) {
    const begin = isLeftOut ? part.indexOf(NEWLINE) + 1 : 0
    if (isLeftOut) start += begin || part.length
    if (isLeftOut && begin === 0) continue
    isLeftOut = false
    const end = part.lastIndexOf(NEWLINE) + 1
    if (end > begin) {
      // Of a line in two parts only that line is copied.
      const firstEnd = rest.length === 0 ? begin : part.indexOf(NEWLINE, begin) + 1
      if (rest.length > 0) {
        const bytes = copyOf([...rest, part.subarray(begin, firstEnd)])
        yield { start, bytes, isCut: false }
        start += bytes.length
        rest = []
        restBytes = 0
      }
      if (end > firstEnd) yield { start, bytes: part.subarray(firstEnd, end), isCut: false }
      start += end - firstEnd
    }
    const open = part.subarray(Math.max(begin, end))
    if (open.length === 0) continue
    rest.push(open)
    restBytes += open.length
    if (restBytes < lineBytes) continue
    yield { start, bytes: copyOf(rest).subarray(0, lineBytes), isCut: true }
    start += restBytes
    rest = []
    restBytes = 0
    isLeftOut = true
  }
  if (restBytes > 0) yield { start, bytes: copyOf(rest), isCut: false }
}

/** At line ends if possible: then nothing has to be copied to join a line. */
async function* partsOf(pieces: AsyncIterable<Uint8Array>, bytes: number) {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const most = Math.min(at + bytes, piece.length)
      const lastEnd = piece.lastIndexOf(NEWLINE, most - 1) + 1
      const end = lastEnd > at ? lastEnd : most
      yield piece.subarray(at, end)
      at = end
    }
  }
}
