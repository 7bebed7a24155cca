/** Files as one ZIP, made while it is sent. Not compressed: that takes time, and data often is. */
import { Zip, ZipPassThrough } from 'fflate'

export interface ZipEntry {
  /** Its path in the archive. */
  readonly name: string
  readonly modifiedAt: Date
  /** Cancelled if the archive is given up. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The format's times begin in 1980. */
const FIRST_TIME = Date.UTC(1980, 0, 2)
/** Beyond that, offsets in the archive would be wrong. */
const MAX_BYTES = 2 ** 32 - 1

/**
 * Takes fewer than 65,535 files. Breaks off where a body fails, or at 4 GiB: it is no archive then.
 */
export function zipStream(entries: AsyncIterable<ZipEntry>): ReadableStream<Uint8Array> {
  const pieces = zipPieces(entries)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* zipPieces(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, undefined> {
  let made: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, piece) => {
    if (error) throw error
    bytes += piece.length
    if (bytes > MAX_BYTES) throw new Error('the archive is larger than 4 GiB')
    if (piece.length > 0) made.push(piece)
  })
  const taken = () => {
    const pieces = made
    made = []
    return pieces
  }
  for await (const { name, modifiedAt, body } of entries) {
    const file = new ZipPassThrough(name)
    file.mtime = Math.max(modifiedAt.getTime(), FIRST_TIME)
    zip.add(file)
    for await (const chunk of body) {
      file.push(chunk)
      yield* taken()
    }
    file.push(new Uint8Array(), true)
    yield* taken()
  }
  zip.end()
  yield* taken()
  return undefined
}
