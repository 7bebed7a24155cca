/** The HTTP server: its address, time limits and graceful shutdown. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { isIPv6, type AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { ExecutionContext, Hono } from 'hono'
import { InvalidConfig } from '../../config.ts'
import type { AppEnv } from '../../http/app-env.ts'

const HEADERS_MS = 30_000
/** Uploads time out after 15 minutes with a proper error. */
const REQUEST_MS = 16 * 60_000
/** Longer than proxies keep idle connections, or they would reuse one being closed. */
const KEEP_ALIVE_MS = 65_000

interface NodeServer {
  readonly server: Server
  /** Stops accepting; resolves when all requests and their background work are done. */
  drain(): Promise<void>
}

/** @param silenceMs Idle time limit of connections; longer than any response takes. */
export function nodeServer(app: Pick<Hono<AppEnv>, 'fetch'>, silenceMs: number): NodeServer {
  const open = new Set<Promise<unknown>>()
  let isDraining = false

  function track(work: Promise<unknown>): void {
    const forget = () => open.delete(work)
    open.add(work)
    work.then(forget, forget)
  }

  const execution: ExecutionContext = {
    waitUntil: track,
    passThroughOnException() {},
    props: {},
  }
  const answer = getRequestListener(async (request, env) => {
    const response = await app.fetch(request, env, execution)
    drainBody(request)
    return response
  })
  const timeouts = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = createServer(timeouts, (request, response) => {
    track(once(response, 'close'))
    response.shouldKeepAlive &&= !isDraining
    void answer(request, response)
  })
  server.timeout = silenceMs

  return {
    server,
    async drain() {
      isDraining = true
      server.close()
      while (open.size > 0) await Promise.allSettled(open)
    },
  }
}

/** Clients that are still sending only read the response if the body is consumed. */
function drainBody({ body, bodyUsed }: Request): void {
  if (!body || bodyUsed || body.locked) return
  // Incomplete is fine.
  body.pipeTo(new WritableStream()).catch(() => undefined)
}

/** Port 0 picks a free one. */
interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Loopback by default. @throws {InvalidConfig} */
export function parseAddress(env: Readonly<Record<string, string | undefined>>): ListenAddress {
  const host = env.HOST || '127.0.0.1'
  const port = env.PORT || '8787'
  if (!/^[\w.:%-]+$/.test(host) || (host.includes(':') && !isIPv6(host))) {
    throw new InvalidConfig('HOST', 'must be an address or a name of this machine, such as 0.0.0.0')
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new InvalidConfig('PORT', 'must be a number from 0 to 65535')
  }
  return { host, port: Number(port) }
}

/** Returns the origin. @throws {InvalidConfig} if it cannot listen. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(problem(error, port)))
    server.listen(port, host, done)
  })
  const { port: taken } = server.address() as AddressInfo
  return `http://${isIPv6(host) ? `[${host}]` : host}:${taken}`
}

function problem(error: NodeJS.ErrnoException, port: number): InvalidConfig {
  const { code } = error
  if (code === 'EADDRINUSE') return new InvalidConfig('PORT', `${port} is in use; choose another`)
  if (code === 'EACCES') return new InvalidConfig('PORT', `${port} may not be used by this user`)
  return new InvalidConfig('HOST', `must be an address or a name of this machine (${code})`)
}

/** Ctrl-C arrives twice, from the terminal and from npm: counts once. */
const SAME_SIGNAL_MS = 500
const WATCH_MS = 250

/** Calls `stop` on a signal or when the npm parent is gone, and `force` on a repeated signal. */
export function whenStopped(stop: () => Promise<void>, force: () => void): void {
  let since: number | undefined
  const ask = () => {
    if (since === undefined) {
      since = Date.now()
      void stop()
    } else if (Date.now() - since > SAME_SIGNAL_MS) force()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask)

  // A killed npm sends no signal, so its exit is polled. Started by hand, a server may outlive its
  // shell.
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (since === undefined) ask()
  }, WATCH_MS)
  watch.unref()
}
