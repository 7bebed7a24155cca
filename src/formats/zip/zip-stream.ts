/** Files as one ZIP, made while it is sent. Not compressed: that takes time, and data often is. */
import { ZipWriter } from './zip-writer.ts'

export interface ZipEntry {
  /** Its path in the archive. */
  readonly name: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** Cancelled if the archive is given up. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A body that fails breaks the stream off: it is no archive then. */
export function zipStream(entries: AsyncIterable<ZipEntry>): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const output = writable.getWriter()
  // A reader that goes away fails the next write.
  writeAll(entries, (bytes) => output.write(bytes))
    .then(
      () => output.close(),
      (error: unknown) => output.abort(error),
    )
    .catch(() => undefined)
  return readable
}

async function writeAll(
  entries: AsyncIterable<ZipEntry>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const archive = new ZipWriter(write)
  for await (const { body, ...entry } of entries) {
    const pieces = body as AsyncIterable<Uint8Array<ArrayBuffer>>
    await archive.add({ ...entry, isStored: true, pieces })
  }
  await archive.finish()
}
