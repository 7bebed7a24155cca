/** `/mcp`: checks requests before they reach the tools; the MCP library is loaded on first use. */
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { assertScopes, type Scope } from '../caller.ts'
import { AppError } from '../errors.ts'
import type { RequestContext } from '../operations/service.ts'
import { checkBatch } from './check-batch.ts'
import type { ServeModel } from './server.ts'
import { TOOLS_WITH_APIS } from './tools.ts'

/** Dependencies provided by the app. */
export interface Doors<C extends Context> {
  readBody(c: C): Promise<unknown>
  contextOf(c: C): RequestContext
  /** Counts a further message of a batch: the request itself is already counted. */
  countMore(c: C): Promise<void>
  keepAlive(c: C, work: Promise<unknown>): void
}

/** Runs after authentication; refusals here get their own HTTP status. */
export function mcp<C extends Context>(doors: Doors<C>, serve?: ServeModel) {
  return async function answerModel(c: C): Promise<Response> {
    const sent = c.req.method === 'POST' ? await doors.readBody(c) : undefined
    const body = Array.isArray(sent) ? checkBatch(sent) : sent
    const ctx = doors.contextOf(c)
    const messages = [body].flat()
    // Operations check scopes themselves; checking here gives a refusal its HTTP status.
    for (const message of messages) assertScopes(ctx.caller, scopesFor(message))
    for (const _ of messages.slice(1)) await doors.countMore(c)
    const { answerMessage } = await import('./server.ts')
    const keepAlive = (work: Promise<unknown>) => doors.keepAlive(c, work)
    return answerMessage(c.req.raw, body, { ctx, keepAlive }, serve)
  }
}

/** Blocks cross-site requests from browsers, with or without a valid token. */
export function allowOrigins(allowed: readonly string[]): MiddlewareHandler {
  return async function checkOrigin(c, next) {
    const origin = c.req.header('Origin')
    if (origin !== undefined && !allowed.includes(origin)) {
      throw new AppError('forbidden', 'This origin is not allowed.')
    }
    await next()
  }
}

/** JSON-RPC error codes; the default is the generic server error. */
const RPC_CODES: Readonly<Record<string, number>> = {
  malformed: -32_700,
  invalid_request: -32_600,
  too_large: -32_600,
  internal: -32_603,
}

/**
 * Refusals as JSON-RPC errors. No message was processed, so there is no `id`: MCP omits it, unlike
 * JSON-RPC, and its clients reject null.
 */
export function refuseMessage(
  c: Context,
  code: string,
  message: string,
  status: ContentfulStatusCode,
): Response {
  const data = { code, request_id: c.get('requestId') as string }
  const error = { code: RPC_CODES[code] ?? -32_000, message, data }
  return c.json({ jsonrpc: '2.0', error }, status, { 'Cache-Control': 'no-store' })
}

interface Message {
  readonly method?: unknown
  readonly params?: { readonly name?: unknown } | null
}

function scopesFor(message: unknown): readonly Scope[] {
  const { method, params } = (message ?? {}) as Message
  if (method === 'resources/list' || method === 'resources/read') return ['files:read']
  if (method !== 'tools/call' || typeof params?.name !== 'string') return []
  return TOOLS_WITH_APIS.get(params.name)?.scopes ?? []
}
