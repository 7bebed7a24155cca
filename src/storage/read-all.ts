/** Bodies that arrive in pieces, as one. */
import { untilAborted } from '../lib/abort.ts'

/** A body of another length than announced: what was read of it must not be taken for the object. */
export class WrongLength extends Error {
  constructor(expectedBytes: number, bytes: number) {
    super(`the body has ${bytes} bytes where ${expectedBytes} were announced`)
    this.name = 'WrongLength'
  }
}

/**
 * Reads a body of known length; the pieces go straight to their place, so that it is in memory once.
 *
 * @throws {WrongLength} when it ends early or goes on.
 */
export async function readAll(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const reader = body.getReader()
  try {
    return await untilAborted(signal, () => fill(new Uint8Array(expectedBytes), reader))
  } catch (error) {
    // What is left of it would hold its connection. A body that broke cannot be cancelled, and need not be.
    reader.cancel(error).catch(() => {})
    throw error
  }
}

async function fill(
  all: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array> {
  let bytes = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const end = bytes + piece.value.length
    if (end > all.length) throw new WrongLength(all.length, end)
    all.set(piece.value, bytes)
    bytes = end
  }
  if (bytes < all.length) throw new WrongLength(all.length, bytes)
  return all
}
