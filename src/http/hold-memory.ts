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
    const releases: (() => void)[] = []
    const release = () => {
      for (const end of releases.splice(0)) end()
    }
    try {
      // It throws `busy` when there is no room in time.
      c.set('hold', async (bytes) => {
        releases.push(await admission.hold({ maxBytes: COPIES * bytes, maxMs, signal }))
      })
      c.set('release', release)
      await next()
    } finally {
      release()
    }
  }
}
