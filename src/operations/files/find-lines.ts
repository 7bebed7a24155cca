/** Finds lines in a stream of bytes: memory holds only what is wanted. */
import { copyOf } from '../../storage/object-body.ts'

const NEWLINE = 10

export interface LineRange {
  /** Lines to skip. */
  readonly skip: number
  /** At most this many. */
  readonly lines: number
  /** Stops after this many bytes, even within a line. */
  readonly maxBytes: number
}

export interface FoundLines {
  /** Where they begin: bytes from the start of the stream. */
  readonly start: number
  readonly body: Uint8Array
}

/** With their line ends; empty beyond the last line. */
export async function findLines(
  pieces: AsyncIterable<Uint8Array>,
  { skip, lines, maxBytes }: LineRange,
): Promise<FoundLines> {
  const found: Uint8Array[] = []
  let [toSkip, toRead, bytesLeft, start] = [skip, lines, maxBytes, 0]
  for await (const piece of pieces) {
    const skipped = afterLines(piece, 0, toSkip)
    toSkip -= skipped.lines
    start += skipped.end
    if (toSkip > 0) continue
    const wanted = afterLines(piece, skipped.end, toRead)
    const part = piece.subarray(skipped.end, Math.min(wanted.end, skipped.end + bytesLeft))
    found.push(part)
    toRead -= wanted.lines
    bytesLeft -= part.length
    if (toRead === 0 || bytesLeft === 0) break
  }
  return { start, body: copyOf(found) }
}

/** Where this many lines end; the end of the piece if it has fewer. */
function afterLines(piece: Uint8Array, from: number, lines: number) {
  let end = from
  for (let count = 0; count < lines; count++) {
    const at = piece.indexOf(NEWLINE, end)
    if (at === -1) return { end: piece.length, lines: count }
    end = at + 1
  }
  return { end, lines }
}
