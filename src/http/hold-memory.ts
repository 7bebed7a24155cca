/** Counts the bodies of requests, and large answers, among what the process has memory for. */
import type { MiddlewareHandler } from 'hono'
import { STORING_GRACE_MS } from '../limits.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'

/** Of a body there are its bytes, its text and what was parsed, the last two with up to two bytes a character. */
const COPIES = 5

/** Lends every request a way to reserve memory, for its body and for its answer, until that is made or a run begins. */
export function holdMemory({ admission, config }: Service): MiddlewareHandler<AppEnv> {
  const maxMs = 2 * (config.limits.runMs + STORING_GRACE_MS)
  return async function holdWhileAnswering(c, next) {
    const { signal } = c.req.raw
    const body: (() => void)[] = []
    const answer: (() => void)[] = []
    // It throws `busy` when there is no room in time.
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

/** It has only begun: whoever writes it gives back what it takes. */
function isStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') ?? false
}
