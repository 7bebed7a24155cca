/** Keeps work running after the response on platforms that would stop it. */
import type { Context } from 'hono'

/** Ignores failures: the caller awaits the work and handles them. */
export function keepAlive(c: Context, work: Promise<unknown>): void {
  const settled = work.then(
    () => undefined,
    () => undefined,
  )
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no execution context: a process keeps running anyway.
  }
}
