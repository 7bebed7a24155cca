/** Receives the browser at the end of a sign-in: a server on loopback, for one request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { UsageError } from '../../errors.ts'

const PATH = '/callback'
const WAIT_MS = 5 * 60_000
const PAGE = '<!doctype html><title>Moonbucket</title><p>You can close this page.</p>'

/** @param signal Ends the wait. */
export async function awaitRedirect(signal: AbortSignal) {
  let answer: (query: URLSearchParams) => void
  let fail: (error: Error) => void
  const answered = new Promise<URLSearchParams>((resolve, reject) => {
    answer = resolve
    fail = reject
  })
  // Reported where it is awaited, or by nobody if something failed before.
  answered.catch(() => undefined)
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const isAnswer = request.method === 'GET' && pathname === PATH
    response.writeHead(isAnswer ? 200 : 404, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'",
      Connection: 'close',
    })
    response.end(isAnswer ? PAGE : '')
    if (isAnswer) answer(searchParams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => fail(new UsageError('nobody signed in'))
  const timer = setTimeout(stop, WAIT_MS)
  signal.addEventListener('abort', stop)
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    answered,
    close() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      server.close()
      server.closeAllConnections()
    },
  }
}
