/** Sends the `/fs` response envelope over HTTP. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { accepted, refused } from '../operations/envelope.ts'
import type { AppEnv } from './app-env.ts'

type Headers = Readonly<Record<string, string>>

const HEADERS: Headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export function accept(c: Context<AppEnv>, data: unknown, headers: Headers = {}): Response {
  return c.json(accepted(data, metadataOf(c)), 200, { ...HEADERS, ...headers })
}

export function refuse(
  c: Context<AppEnv>,
  code: string,
  message: string,
  status: ContentfulStatusCode,
  headers: Headers = {},
): Response {
  return c.json(refused(message, code, metadataOf(c)), status, { ...HEADERS, ...headers })
}

function metadataOf(c: Context<AppEnv>) {
  return { operation: c.req.path.slice('/fs/'.length), request_id: c.var.requestId }
}
