/** Serves the demo API on loopback. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { shopApi } from './shop-api.ts'

const HOST = '127.0.0.1'

/** Does not keep the process alive. @param port Taken if it is free; otherwise any other is. */
export async function serveShop(port = 0): Promise<{ readonly origin: string; stop(): void }> {
  const answer = getRequestListener(shopApi().fetch, { overrideGlobalObjects: false })
  const server = createServer((request, response) => void answer(request, response))
  await listen(server, port).catch(() => listen(server, 0))
  server.unref()
  // Idle connections must not either.
  server.on('connection', (socket) => socket.unref())
  const { port: taken } = server.address() as AddressInfo
  return { origin: `http://${HOST}:${taken}`, stop: () => server.close() }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(port, HOST, done)
  })
}
