/** The HTTP server: time limits and graceful shutdown. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { ExecutionContext, Hono } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'

const HEADERS_MS = 30_000
/** Uploads time out after 15 minutes with a proper error. */
const REQUEST_MS = 16 * 60_000
/** Longer than proxies keep idle connections, or they would reuse one being closed. */
const KEEP_ALIVE_MS = 65_000

export interface NodeServer {
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
