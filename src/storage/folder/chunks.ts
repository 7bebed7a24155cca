/** Bodies on their way into a file. */
import { WrongLength } from '../read-all.ts'

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** The pieces of a stream, which is cancelled when nobody wants the rest or the signal aborts. */
export async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  // A stream that broke cannot be cancelled, and need not be.
  const stop = () => reader.cancel(signal?.reason).catch(() => undefined)
  const onAbort = () => void stop()
  signal?.addEventListener('abort', onAbort)
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      yield piece.value
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await stop()
  }
}

/** @throws {WrongLength} in place of the first piece too many, or of the end when something is missing. */
export async function* exactly(
  bytes: number,
  pieces: Pieces,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    count += piece.length
    if (count > bytes) throw new WrongLength(bytes, count)
    yield piece
  }
  signal?.throwIfAborted()
  if (count < bytes) throw new WrongLength(bytes, count)
}
