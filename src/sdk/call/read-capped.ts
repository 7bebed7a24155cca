/** Reads an answer's body no further than it may be read. */

/** Told of each piece as it comes; stops the reading by throwing, or by answering that this is all. */
export type OnBytes = (piece: Uint8Array) => boolean | void

/** Counted as they come, decompressed: an announced length says nothing. */
export async function readCapped(answer: Response, onBytes: OnBytes): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    pieces.push(piece)
    length += piece.length
    if (onBytes(piece) === true) break
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
