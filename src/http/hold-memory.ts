/** Accounts for request bodies and large responses in the process's memory budget. */
import type { MiddlewareHandler } from 'hono'
import { STORING_GRACE_MS } from '../limits.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'

/** Bytes, text and parsed value of a body; the last two take up to two bytes per character. */
const COPIES = 5

/** Lets requests reserve memory until the response is made or, for the body, a run begins. */
export function holdMemory({ admission, config }: Service): MiddlewareHandler<AppEnv> {
  const maxMs = 2 * (config.limits.runMs + STORING_GRACE_MS)
  return async function holdWhileAnswering(c, next) {
    const { signal } = c.req.raw
    const body: (() => void)[] = []
    const answer: (() => void)[] = []
    // Throws `busy` if no memory becomes free in time.
    const holdFor = (part: (() => void)[]) => async (bytes: number) => {
      const end = await admission.hold({ maxBytes: COPIES * bytes, maxMs, signal })
      part.push(end)
      return end
    }
    const endAll = (part: (() => void)[]) => {
      for (const end of part.splice(0)) end()
    }
    try {
      c.set('holdBody', holdFor(body))
      c.set('hold', holdFor(answer))
      c.set('release', () => endAll(body))
      await next()
    } finally {
      endAll(body)
      if (!isStream(c.res)) endAll(answer)
    }
  }
}

/** Still being written: its writer releases the memory. */
function isStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') ?? false
}
