/** Reads a body into memory, as long as its reader lets it go on. */
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { copyOf, releaseChunks } from '../../storage/object-body.ts'

/** Called per chunk; stops the reading by throwing, or by returning true. */
export type OnBytes = (piece: Uint8Array) => MaybePromise<boolean | void>

/** Counts decompressed bytes: Content-Length cannot be trusted. */
export async function readCapped(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes: OnBytes,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) {
    pieces.push(piece.slice())
    if ((await onBytes(piece)) === true) break
  }
  const whole = copyOf(pieces)
  releaseChunks(pieces)
  return whole
}
