/** Chunks of a body on their way into a file. */
import { WrongLength } from '../read-all.ts'

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Cancels the stream if the consumer stops or the signal aborts. */
export async function* chunksIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  // Cancelling a failed stream rejects.
  const stop = () => reader.cancel(signal?.reason).catch(() => undefined)
  const onAbort = () => void stop()
  signal?.addEventListener('abort', onAbort)
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      yield chunk.value
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await stop()
  }
}

/** @throws {WrongLength} if there are more or fewer bytes. */
export async function* assertLength(
  bytes: number,
  chunks: Chunks,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    count += chunk.length
    if (count > bytes) throw new WrongLength(bytes, count)
    yield chunk
  }
  signal?.throwIfAborted()
  if (count < bytes) throw new WrongLength(bytes, count)
}
