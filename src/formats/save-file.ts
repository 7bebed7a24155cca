/** Files of the run as streams of bytes: read in pieces, and saved whole or not at all. */
import type { SaveTarget } from '../files/save-target.ts'
import type { ByteSource, FormatHost } from './format-host.ts'

const PIECE_BYTES = 65_536

export interface SavedFile {
  readonly path: string
  readonly bytes: number
}

/** Collects small writes. */
export class SaveOutput {
  bytes = 0
  readonly #target: SaveTarget
  readonly #held = new Uint8Array(PIECE_BYTES)
  #length = 0

  constructor(target: SaveTarget) {
    this.#target = target
  }

  /** Copies the bytes, or waits until they are taken. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#length + bytes.length > PIECE_BYTES) await this.flush()
    this.bytes += bytes.length
    if (bytes.length > PIECE_BYTES) return this.#target.write(bytes)
    this.#held.set(bytes, this.#length)
    this.#length += bytes.length
  }

  async flush(): Promise<void> {
    const held = this.#held.subarray(0, this.#length)
    this.#length = 0
    if (held.length > 0) await this.#target.write(held)
  }
}

/** The file appears if `fill` succeeds; otherwise nothing changes. */
export async function saveFile(
  host: FormatHost,
  path: string,
  fill: (output: SaveOutput) => Promise<void>,
): Promise<SavedFile> {
  const target = host.openSave(path)
  try {
    const output = new SaveOutput(target)
    await fill(output)
    await output.flush()
    await target.close()
    return { path, bytes: output.bytes }
  } catch (error) {
    await target.abort(error)
    throw error
  }
}

/** Opens a file for `read` and closes it. */
export async function withSource<T>(
  host: FormatHost,
  path: string,
  read: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const source = await host.openRead(path)
  try {
    return await read(source)
  } finally {
    source.close()
  }
}

/** A part of a file, by default all of it. */
export async function* piecesOf(
  source: ByteSource,
  start = 0,
  end = source.size,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = start; at < end;) {
    const piece = await source.read(at, Math.min(pieceBytes, end - at))
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}

/** Through a compressor of the platform. */
export async function* compressed(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  format: CompressionFormat,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new CompressionStream(format)
  const writer = writable.getWriter()
  const sent = (async () => {
    try {
      for await (const piece of pieces) await writer.write(piece)
      await writer.close()
    } catch (error) {
      await writer.abort(error).catch(() => undefined)
      throw error
    }
  })()
  // What fails here also fails where the bytes are read.
  sent.catch(() => undefined)
  const reader = readable.getReader()
  // What comes through the stream of workerd is a copy, and no longer what it was.
  const failure = async (error: unknown): Promise<never> => {
    await sent
    throw error
  }
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(failure)
      if (done) break
      yield value
    }
    await sent
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
