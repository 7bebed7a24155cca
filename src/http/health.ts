/** `GET /health` and `GET /health/ready` for load balancers: no token, no details. */
import { Hono } from 'hono'
import { AppError } from '../errors.ts'
import type { Service } from '../operations/service.ts'

const READY_WITHIN_MS = 3000

/** Liveness checks the process; readiness also checks the store. */
export function health(service: Service): Hono {
  return new Hono()
    .get('/health', (c) => c.json({ status: 'ok' }, 200, { 'Cache-Control': 'no-store' }))
    .get('/health/ready', async (c) => {
      await assertStoreResponds(service)
      return c.json({ status: 'ready' }, 200, { 'Cache-Control': 'no-store' })
    })
}

/** @throws {AppError} `storage_unavailable`, with the cause. */
export async function assertStoreResponds({ storage, config }: Service): Promise<void> {
  try {
    const signal = AbortSignal.timeout(READY_WITHIN_MS)
    // List: with a missing bucket, other requests look as if it were just empty.
    for await (const _ of storage.list(config.keyPrefix, { limit: 1, signal })) break
  } catch (cause) {
    throw new AppError('storage_unavailable', 'The store does not respond.', { cause })
  }
}
