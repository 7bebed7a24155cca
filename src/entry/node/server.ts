/** The HTTP server around the app: how long clients may take, and what is still under way. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { ExecutionContext, Hono } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'

const HEADERS_MS = 30_000
/** Uploads end after a quarter of an hour by themselves, and say so; everything else is shorter. */
const REQUEST_MS = 16 * 60_000
/** Longer than proxies keep connections they do not use: else they send a request as it is closed. */
const KEEP_ALIVE_MS = 65_000

/** A server that can be ended without breaking anything off. */
export interface NodeServer {
  readonly server: Server
  /** Takes no more connections; resolves when all requests are answered, and all they began is finished. */
  drain(): Promise<void>
}

/** @param silenceMs A connection on which nothing moves for so long is closed; no answer takes longer. */
export function nodeServer(app: Pick<Hono<AppEnv>, 'fetch'>, silenceMs: number): NodeServer {
  const open = new Set<Promise<unknown>>()
  let isDraining = false

  function keep(work: Promise<unknown>): void {
    const forget = () => open.delete(work)
    open.add(work)
    work.then(forget, forget)
  }

  const execution: ExecutionContext = {
    waitUntil: keep,
    passThroughOnException() {},
    props: {},
  }
  const answer = getRequestListener(async (request, env) => {
    const response = await app.fetch(request, env, execution)
    readRest(request)
    return response
  })
  const timeouts = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = createServer(timeouts, (request, response) => {
    keep(once(response, 'close'))
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

/** Who is still sending hears the answer only if somebody goes on listening; requests end after a while in any case. */
function readRest({ body, bodyUsed }: Request): void {
  if (!body || bodyUsed || body.locked) return
  // Whether all of it comes is no concern any more.
  body.pipeTo(new WritableStream()).catch(() => undefined)
}
