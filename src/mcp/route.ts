/** `/mcp`: checks requests before they reach the tools; the MCP library is loaded on first use. */
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { assertScopes, type Scope } from '../caller.ts'
import { AppError } from '../errors.ts'
import type { RequestContext } from '../operations/service.ts'
import type { ServeModel } from './server.ts'
import { ALL_TOOLS } from './tool.ts'

const MAX_MESSAGES = 10

/** What the app provides: this layer may not import `http`. */
interface McpHooks<C extends Context> {
  readBody(c: C): Promise<unknown>
  contextOf(c: C): RequestContext
  /** Counts a further message of a batch: the request itself is already counted. */
  countMore(c: C): Promise<void>
  keepAlive(c: C, work: Promise<unknown>): void
}

/** Runs after authentication; refusals here get their own HTTP status. */
export function mcp<C extends Context>(hooks: McpHooks<C>, serve?: ServeModel) {
  return async function answerModel(c: C): Promise<Response> {
    const sent = c.req.method === 'POST' ? await hooks.readBody(c) : undefined
    const body = Array.isArray(sent) ? checkBatch(sent) : sent
    const ctx = hooks.contextOf(c)
    const messages = [body].flat()
    // Operations check scopes themselves; checking here gives a refusal its HTTP status.
    for (const message of messages) assertScopes(ctx.caller, scopesFor(message))
    for (const _ of messages.slice(1)) await hooks.countMore(c)
    const { answerMessage } = await import('./server.ts')
    const keepAlive = (work: Promise<unknown>) => hooks.keepAlive(c, work)
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

/** A JSON-RPC message, not validated yet. */
interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly name?: unknown } | null
}

function scopesFor(message: unknown): readonly Scope[] {
  const { method, params } = (message ?? {}) as Message
  if (method === 'resources/list' || method === 'resources/read') return ['files:read']
  if (method !== 'tools/call' || typeof params?.name !== 'string') return []
  return ALL_TOOLS.get(params.name)?.scopes ?? []
}

/**
 * One protocol revision allows batches; returns the messages that can be answered together.
 *
 * @throws {AppError} `too_large`, and `invalid_request` for duplicate ids.
 */
function checkBatch(batch: readonly unknown[]): readonly unknown[] {
  if (batch.length > MAX_MESSAGES) {
    throw new AppError('too_large', `A batch may have at most ${MAX_MESSAGES} messages.`)
  }
  const messages = batch.map((message) => (message ?? {}) as Message)
  const ids = messages.flatMap(({ id, method }) => (method && id !== undefined ? [id] : []))
  // With duplicate ids, one of the calls would keep running after its client disconnects.
  if (new Set(ids).size < ids.length) {
    throw new AppError('invalid_request', 'Every request in a batch needs its own id.')
  }
  // A cancelled call is never answered, and a batch response ends only when all its calls are
  // answered.
  const answerable = messages.filter(({ method }) => method !== 'notifications/cancelled')
  return answerable.length > 0 ? answerable : batch
}
