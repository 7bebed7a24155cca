/** Events are read whole, however the network cuts them. */
import { expect, it } from 'vitest'
import { readEvents, type ServerEvent } from '../../src/client/read-events.ts'

const STREAM =
  'event: log\ndata: {"line":"日本"}\n\n: still running\n\nevent: log\ndata: {"line":""}\n\n' +
  'id: 7\nevent: stats\ndata: {"fuel":1}\n\n'

async function readInChunks(bytesPerChunk: number): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(STREAM)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let from = 0; from < bytes.length; from += bytesPerChunk) {
        controller.enqueue(bytes.slice(from, from + bytesPerChunk))
      }
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const batch of readEvents(body)) events.push(...batch)
  return events
}

it.each([1, 2, 3, 7, 1000])('in chunks of %i bytes', async (bytesPerChunk) => {
  expect(await readInChunks(bytesPerChunk)).toEqual([
    { name: 'log', data: '{"line":"日本"}' },
    { name: 'log', data: '{"line":""}' },
    { name: 'stats', data: '{"fuel":1}', id: '7' },
  ])
})
