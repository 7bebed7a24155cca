/** Gives each request its share of the process's memory, until its response has been sent. */
import type { MiddlewareHandler } from 'hono'
import { STORING_GRACE_MS } from '../limits.ts'
import { RequestMemory } from '../operations/memory/request-memory.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'

/** Less is not worth following a response until it has left. */
const BRIEF_BYTES = 1_000_000

export function holdMemory({ admission, config }: Service): MiddlewareHandler<AppEnv> {
  const { maxFileBytes, limits } = config
  const maxMs = 2 * (limits.runMs + STORING_GRACE_MS)
  return async function holdUntilSent(c, next) {
    const memory = new RequestMemory(admission, { maxFileBytes, maxMs, signal: c.req.raw.signal })
    c.set('memory', memory)
    let isSending = false
    try {
      await next()
      const body = memory.heldBytes > BRIEF_BYTES || isStream(c.res) ? c.res.body : null
      if (!body) return
      isSending = true
      c.res = new Response(untilSent(body, memory), c.res)
    } finally {
      if (!isSending) memory.end()
    }
  }
}

/** Starts before its work, which may need memory later. */
function isStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') ?? false
}

/** Passes a body on, and releases the memory at its end. */
function untilSent(
  body: ReadableStream<Uint8Array>,
  memory: RequestMemory,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          memory.renew()
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          memory.end()
          controller.close()
        } catch (error) {
          memory.end()
          throw error
        }
      },
      async cancel(reason) {
        memory.end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
