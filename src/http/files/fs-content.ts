/** `/fs/content`: streams raw file contents, with ranges on read. */
import type { Context } from 'hono'
import { entityTag } from '../../lib/etag.ts'
import { AppError } from '../../errors.ts'
import type { OpenedFile } from '../../operations/open-file.ts'
import type { Operation } from '../../operations/operation.ts'
import type { RequestContext } from '../../operations/service.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { announcedBytes } from '../announced-bytes.ts'
import type { AppEnv } from '../app-env.ts'
import { accept, refuse } from '../envelope.ts'
import { keepAlive } from '../keep-alive.ts'
import { sendFile } from './send-file.ts'

/** A missing path becomes empty, which has its own error message. */
const inputOf = (c: Context<AppEnv>) => ({ path: c.req.query('path') ?? '' })

/** Hono also serves HEAD from this, without the body. */
export async function sendContent(
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
): Promise<Response> {
  const file = (await operation.run(ctx, inputOf(c))) as OpenedFile
  return sendFile(c, file, {
    refuseRange: (message, headers) => refuse(c, 'range_not_satisfiable', message, 416, headers),
  })
}

/** `If-Match` and `If-None-Match` restrict what may be replaced. */
export async function takeContent(
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
): Promise<Response> {
  const { raw } = c.req
  const upload = {
    body: raw.body ?? new Blob([]).stream(),
    bytes: announcedBytes(raw),
    headers: raw.headers,
  }
  const storing = operation.run({ ...ctx, upload }, inputOf(c))
  keepAlive(c, storing)
  try {
    const stored = (await storing) as { readonly etag: string }
    return accept(c, stored, { ETag: entityTag(stored.etag) })
  } catch (error) {
    const isUnmet = error instanceof AppError && error.cause instanceof PreconditionFailed
    if (isUnmet) return refuse(c, 'precondition_failed', error.message, 412)
    throw error
  }
}
