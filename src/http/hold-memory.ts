/** Counts the bodies of requests, and large answers, among what the process has memory for. */
import type { MiddlewareHandler } from 'hono'
import { STORING_GRACE_MS } from '../limits.ts'
import type { Service } from '../operations/service.ts'
import { announcedBytes } from './announced-bytes.ts'
import type { AppEnv } from './app-env.ts'

/** Of a body there are its bytes, its text and what was parsed, the last two with up to two bytes a character. */
const COPIES = 5

/**
 * Reserves memory for a body before it is read, until the answer is made or a run begins. A body of
 * unknown length reserves as it arrives.
 *
 * @throws {AppError} `busy` when there is no room in time.
 */
export function holdMemory(
  { admission, config }: Service,
  maxBodyBytes: number,
): MiddlewareHandler<AppEnv> {
  const maxMs = 2 * (config.limits.runMs + STORING_GRACE_MS)
  return async function holdWhileAnswering(c, next) {
    const { signal } = c.req.raw
    const body: (() => void)[] = []
    const answer: (() => void)[] = []
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
      await c.var.holdBody?.(Math.min(announcedBytes(c.req.raw) ?? 0, maxBodyBytes))
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
