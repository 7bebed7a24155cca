/** Reading streams in pieces; the same in Node and workerd. */
import { describe, expect, test } from 'vitest'
import { readAll, readPieces, WrongLength } from '../../src/storage/read-stream.ts'

const CONTENT = Uint8Array.from({ length: 140_000 }, (_, i) => i % 251)

/** Not a stream of bytes: it gives out the chunks it was given. */
function ofChunks(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = chunks.map((chunk) => chunk.slice())
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

const STREAMS = {
  'the body of a response': () => new Response(CONTENT).body!,
  'a stream of chunks': () =>
    ofChunks([CONTENT.subarray(0, 1), CONTENT.subarray(1, 99_999), CONTENT.subarray(99_999)]),
  'a stream with an empty chunk': () => ofChunks([new Uint8Array(), CONTENT]),
}

async function copied(stream: ReadableStream<Uint8Array>, bytes?: number): Promise<Uint8Array> {
  const reader = readPieces(stream, bytes)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    pieces.push(piece.slice())
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/** Faster than comparing arrays by `toEqual`. */
function expectContent(bytes: Uint8Array): void {
  expect(bytes.length).toBe(CONTENT.length)
  expect(bytes.findIndex((byte, i) => byte !== CONTENT[i])).toBe(-1)
}

describe.each(Object.entries(STREAMS))('%s', (_, stream) => {
  test.each([undefined, 20_000, 70_000, 140_000, 10_000_000])(
    'is read to its end when %s bytes are expected',
    async (bytes) => expectContent(await copied(stream(), bytes)),
  )

  test('is read whole', async () => {
    expectContent(await readAll(stream(), CONTENT.length))
  })

  test.each([100, CONTENT.length - 1, CONTENT.length + 1])('has not %i bytes', async (bytes) => {
    await expect(readAll(stream(), bytes)).rejects.toThrow(WrongLength)
  })

  test('can be left', async () => {
    const reader = readPieces(stream())
    await reader.read()
    await expect(reader.cancel()).resolves.toBeUndefined()
  })
})

test('a body without bytes', async () => {
  expect(await readAll(new Response(new Uint8Array()).body!, 0)).toEqual(new Uint8Array())
})

test('a chunk that shares its buffer leaves the rest of it alone', async () => {
  const shared = Uint8Array.of(1, 2, 3)
  const reader = readPieces(
    new ReadableStream({
      start(controller) {
        controller.enqueue(shared.subarray(0, 2))
        controller.close()
      },
    }),
  )
  expect(await reader.read()).toEqual(Uint8Array.of(1, 2))
  expect(await reader.read()).toBeUndefined()
  expect(shared[2]).toBe(3)
})
