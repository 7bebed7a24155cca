/** `PUT /files/in`: what an upload link takes. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { AppError } from '../errors.ts'
import type { Service } from '../operations/service.ts'
import { takeUpload } from '../operations/take-upload.ts'
import type { AppEnv } from './app-env.ts'
import { baseUrl } from './base-url.ts'
import { keepAlive } from './keep-alive.ts'

/** Any page may upload: the link alone decides, and no cookie or login ever comes along. */
export function filesIn(service: Service): Hono<AppEnv> {
  const anyOrigin = cors({ origin: '*', allowMethods: ['PUT'], allowHeaders: ['Content-Type'] })
  return new Hono<AppEnv>()
    .use('/files/in', anyOrigin)
    .put('/files/in', async function storeUpload(c) {
      const { path, token } = c.req.query()
      if (path === undefined || token === undefined) {
        throw new AppError('malformed', 'A link needs both its path and its token.')
      }
      const { raw } = c.req
      const base = baseUrl(raw, service.config)
      const ctx = { service, requestId: c.var.requestId, baseUrl: base }
      const taking = takeUpload(ctx, {
        path,
        token,
        contentType: c.req.header('Content-Type'),
        bytes: announcedBytes(c.req.header('Content-Length')),
        body: raw.body ?? new Blob([]).stream(),
      })
      keepAlive(c, taking)
      return c.json(await taking, 201, { 'Cache-Control': 'no-store' })
    })
}

function announcedBytes(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
