/** The envelope of `/fs` as an answer over HTTP. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { accepted, refused } from '../operations/envelope.ts'
import type { AppEnv } from './app-env.ts'

type Headers = Readonly<Record<string, string>>

const HEADERS: Headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/** What was asked for. */
export function accept(c: Context<AppEnv>, data: unknown, headers: Headers = {}): Response {
  return c.json(accepted(data, metadataOf(c)), 200, { ...HEADERS, ...headers })
}

/** The status says what kind of failure it is, so a code would add nothing. */
export function refuse(
  c: Context<AppEnv>,
  message: string,
  status: ContentfulStatusCode,
  headers: Headers = {},
): Response {
  return c.json(refused(message, metadataOf(c)), status, { ...HEADERS, ...headers })
}

function metadataOf(c: Context<AppEnv>) {
  return { operation: c.req.path.slice('/fs/'.length), request_id: c.var.requestId }
}
