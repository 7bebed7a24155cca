/** A server that strangers would run: it notes who calls, and serves attacks without any defence. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Every path that was asked for, with its method. */
export interface Canary {
  readonly origin: string
  readonly calls: readonly string[]
  /** What the next GET of this path answers. */
  serve(path: string, type: string, body: string): void
  stop(): Promise<void>
}

/** On any free port of this machine, so another origin than the service. */
export async function startCanary(): Promise<Canary> {
  const calls: string[] = []
  const pages = new Map<string, { type: string; body: string }>()
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (!page) calls.push(`${request.method} ${request.url}`)
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Content-Type', page?.type ?? 'text/plain')
    response.end(page?.body ?? '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    serve: (path, type, body) => void pages.set(path, { type, body }),
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}
