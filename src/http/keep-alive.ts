/** Lets work outlive its request where the platform would end it with the answer. */
import type { Context } from 'hono'

/** Failures are the business of whoever awaits the work; here they count for nothing. */
export function keepAlive(c: Context, work: Promise<unknown>): void {
  const settled = work.then(
    () => undefined,
    () => undefined,
  )
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no such context: there, a process lives on by itself.
  }
}
