/** Stands in for an S3 store, with one object in two halves: a test releases the second. */
import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../support/listen.ts'

/** What is sent at once, and what is sent when the test lets it. */
export const HALVES = ['first half, ', 'second half'] as const

export type StallingStore = Awaited<ReturnType<typeof startStallingStore>>

/** Every object is there, and all are the same. */
export async function startStallingStore() {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    response.writeHead(200, {
      'Content-Length': HALVES.join('').length,
      'Content-Type': 'text/plain',
      ETag: '"1"',
      'Last-Modified': 'Mon, 16 Nov 2026 10:00:00 GMT',
    })
    if (request.method === 'HEAD') return void response.end()
    response.write(HALVES[0])
    waiting.push(response)
  })
  const { origin, stop } = await listen(server)
  return {
    /** Nothing is checked here. */
    vars: {
      S3_ENDPOINT: origin,
      S3_BUCKET: 'any',
      S3_ACCESS_KEY_ID: 'any',
      S3_SECRET_ACCESS_KEY: 'any',
      S3_FORCE_PATH_STYLE: 'true',
    },
    /** Sends the rest to everybody who waits. */
    finish() {
      for (const response of waiting.splice(0)) response.end(HALVES[1])
    },
    /** Breaks off instead. */
    breakOff() {
      for (const response of waiting.splice(0)) response.destroy()
    },
    stop,
  }
}
