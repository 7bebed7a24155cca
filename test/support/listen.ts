/** Lets a server listen on any free port of loopback. Node only. */
import type { Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'

export interface Listening {
  readonly origin: string
  readonly port: number
  /** Also ends open connections of an HTTP server. */
  stop(): Promise<void>
}

export async function listen(server: Server | HttpServer, port = 0): Promise<Listening> {
  // An idle connection that closes just when a client uses it again looks like a network error.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', done)
  })
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${taken}`,
    port: taken,
    async stop() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer())
  await stop()
  return port
}
