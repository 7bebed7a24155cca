/** The one form of every answer under `/fs` that is not a file's own bytes. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './app-env.ts'

type Headers = Readonly<Record<string, string>>

const HEADERS: Headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/** What was asked for. */
export function accept(c: Context<AppEnv>, data: unknown, headers: Headers = {}): Response {
  const body = { success: true, data, error: null, metadata: metadataOf(c) }
  return c.json(body, 200, { ...HEADERS, ...headers })
}

/** One sentence that says why not; the status says what kind of failure it is, so a code would add nothing. */
export function refuse(
  c: Context<AppEnv>,
  message: string,
  status: ContentfulStatusCode,
  headers: Headers = {},
): Response {
  const body = { success: false, data: null, error: message, metadata: metadataOf(c) }
  return c.json(body, status, { ...HEADERS, ...headers })
}

function metadataOf(c: Context<AppEnv>) {
  return { operation: c.req.path.slice('/fs/'.length), request_id: c.var.requestId }
}
