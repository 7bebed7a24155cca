/** Reads a response body up to a limit. */

/** Called per chunk; stops the reading by throwing, or by returning true. */
export type OnBytes = (piece: Uint8Array) => boolean | void

/** Counts decompressed bytes: Content-Length cannot be trusted. */
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
