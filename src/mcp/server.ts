/** The MCP server of one request, bound to its caller: no tool or resource names a tenant. */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { AppError, INTERNAL_ERROR, isDenial } from '../errors.ts'
import { anySignal } from '../lib/abort.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { VERSION } from '../version.ts'
import { withProgress } from './progress.ts'
import { listResources, readResource, RESOURCE_TEMPLATES } from './resources.ts'
import { quotasOf } from '../operations/usage/open-usage.ts'
import { callTool, definitionsOf, refuseCall, toolsOf, type Tool } from './tool.ts'

/** For models, in every conversation: each word costs tokens. */
const INSTRUCTIONS = `Moonbucket runs Lua scripts in a sandbox and keeps their files in the user's own storage. Files persist between calls; answers have links that open them in a browser without a login.

- To work on data, many files or anything with a loop: execute_script. Write large data to files and return a summary; the data need not pass through you.
- What the user does repeatedly may already be saved: list_saved_scripts.
- One file: file_read, file_write, file_append, file_edit, apply_patch. What is there: folder_list, file_find, file_search, file_info.
- A report for a person: save_result_page. A link to an existing file or folder: get_file_link. A file that a person or program should send: get_upload_link.

Paths are relative, such as output/rows.csv. Put what a person should open into output/, what the team should see into share/. Give people the short link exactly as it is written, never shortened or retyped.
Long results and logs become files: read the part you need with file_read (offset, length), or continue with a script.`

/** Changes only with a release and is the same for all callers. */
const UNCHANGING = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const KEEP_ALIVE_MS = 5_000

export interface ModelRequest {
  readonly ctx: RequestContext
  /** Lets a change finish after its client has disconnected. */
  readonly keepAlive: (work: Promise<unknown>) => void
}

/** Creates the server that handles a request. */
export type ServeModel = (request: ModelRequest) => ReturnType<McpServerFactory>

/** Handles one HTTP request in any supported protocol revision. */
export function answerMessage(
  request: Request,
  parsedBody: unknown,
  model: ModelRequest,
  serve: ServeModel = modelServer,
): Promise<Response> {
  const handler = createMcpHandler(() => serve(model), { keepAliveMs: KEEP_ALIVE_MS })
  return handler.fetch(request, { parsedBody })
}

/** The default server. */
export function modelServer({ ctx, keepAlive }: ModelRequest): Server {
  const server = new Server(
    { name: 'moonbucket', title: 'Moonbucket', version: VERSION },
    {
      // No subscriptions: the library grants an empty list and ends the stream, which would
      // otherwise hold a connection open.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'server/discover': UNCHANGING,
        'tools/list': UNCHANGING,
        'resources/templates/list': UNCHANGING,
      },
    },
  )
  const hasQuotas = Object.keys(quotasOf(ctx.service, ctx.caller)).length > 0
  const tools = toolsOf(ctx.service, hasQuotas)
  server.setRequestHandler('tools/list', () => ({ tools: definitionsOf(tools) }))
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const tool = tools.get(params.name)
    if (!tool) throw unknownTool(params.name, tools)
    const call = withCallSignal(ctx, mcp)
    const calling = withProgress(mcp, (onLog) =>
      callTool(tool, { ...call, progress: { onLog } }, params.arguments ?? {}, params._meta?.auth),
    )
    if (!tool.hints.readOnly) keepAlive(calling)
    return calling.catch((error: unknown) =>
      refuseCall(tool, call, error, messageFor(call, tool.tool, error)),
    )
  })
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: RESOURCE_TEMPLATES,
  }))
  server.setRequestHandler('resources/list', ({ params }, mcp) =>
    asProtocolError(ctx, listResources(withCallSignal(ctx, mcp), params?.cursor)),
  )
  server.setRequestHandler('resources/read', ({ params }, mcp) =>
    asProtocolError(ctx, readResource(withCallSignal(ctx, mcp), params.uri)),
  )
  return server
}

/** Both signals: the library's misses a client that left before its message was read. */
function withCallSignal(ctx: RequestContext, { mcpReq }: ServerContext): RequestContext {
  return { ...ctx, signal: anySignal(ctx.signal, mcpReq.signal) }
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): ProtocolError {
  const message = `Unknown tool: ${name.slice(0, 100)}. Available: ${[...tools.keys()].join(', ')}.`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

async function asProtocolError<T>(ctx: RequestContext, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const isCallers = error instanceof AppError && error.code !== 'storage_unavailable'
    const code = isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, messageFor(ctx, 'resources', error))
  }
}

/** The error message for the model; internal details go to the log. */
function messageFor(ctx: RequestContext, what: string, error: unknown): string {
  const { service, requestId, caller } = ctx
  if (error instanceof AppError) {
    if (isDenial(error)) {
      service.log({
        event: 'denied',
        request_id: requestId,
        // The HTTP request itself succeeds.
        status: 200,
        reason: error.message,
        method: 'POST',
        route: `/mcp ${what}`,
        tenant: caller.tenant,
        user: caller.user,
      })
    }
    const isOutage = error.code === 'storage_unavailable' && error.cause !== undefined
    if (isOutage) service.log(faultEvent(requestId, `mcp ${what}`, error))
    return error.message
  }
  service.log(faultEvent(requestId, `mcp ${what}`, error))
  return `${INTERNAL_ERROR} The request was ${requestId}.`
}
