/** `PUT /files/in`: receives a file through an upload link. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { AppError } from '../../errors.ts'
import { takeUpload, type UploadContext } from '../../operations/links/take-upload.ts'
import { announcedBytes } from '../announced-bytes.ts'
import type { AppEnv } from '../app-env.ts'
import { keepAlive } from '../keep-alive.ts'

/** Any origin: only the link grants access; no cookies or logins are involved. */
export function filesIn(deps: Omit<UploadContext, 'requestId'>): Hono<AppEnv> {
  const anyOrigin = cors({ origin: '*', allowMethods: ['PUT'], allowHeaders: ['Content-Type'] })
  return new Hono<AppEnv>()
    .use('/files/in', anyOrigin)
    .put('/files/in', async function storeUpload(c) {
      const { path, token } = c.req.query()
      if (path === undefined || token === undefined) {
        throw new AppError('malformed', 'A link needs both its path and its token.')
      }
      const { raw } = c.req
      const ctx = { ...deps, requestId: c.var.requestId }
      const taking = takeUpload(ctx, {
        path,
        token,
        contentType: c.req.header('Content-Type'),
        bytes: announcedBytes(raw),
        body: raw.body ?? new Blob([]).stream(),
        signal: raw.signal,
      })
      keepAlive(c, taking)
      const { path: stored, bytes, tidy } = await taking
      keepAlive(c, tidy())
      return c.json({ path: stored, bytes }, 201, { 'Cache-Control': 'no-store' })
    })
}
