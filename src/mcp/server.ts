/** The MCP server of one request, bound to its caller: no tool or resource names a tenant. */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { AppError } from '../errors.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { VERSION } from '../version.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { withProgress } from './progress.ts'
import { listResources, readResource, RESOURCE_TEMPLATES } from './resources.ts'
import { callTool, definitionOf, refuseCall, type Tool } from './tool.ts'
import { TOOLS, TOOLS_WITH_APIS } from './tools.ts'

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
  const tools = ctx.service.apis ? TOOLS_WITH_APIS : TOOLS
  server.setRequestHandler('tools/list', () => ({ tools: definitionsOf(tools) }))
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const tool = tools.get(params.name)
    if (!tool) throw unknownTool(params.name, tools)
    const call = endingWith(ctx, mcp)
    const calling = withProgress(mcp, (progress) => {
      const watched = { ...call, progress: { onLog: progress.say } }
      return callTool(tool, watched, params.arguments ?? {}, params._meta?.auth)
    })
    if (!tool.hints.readOnly) keepAlive(calling)
    return calling.catch((error: unknown) =>
      refuseCall(tool, call, sentenceOf(call, tool.tool, error)),
    )
  })
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: RESOURCE_TEMPLATES,
  }))
  server.setRequestHandler('resources/list', ({ params }, mcp) =>
    asProtocolError(ctx, listResources(endingWith(ctx, mcp), params?.cursor)),
  )
  server.setRequestHandler('resources/read', ({ params }, mcp) =>
    asProtocolError(ctx, readResource(endingWith(ctx, mcp), params.uri)),
  )
  return server
}

/** Both signals: the library's misses a client that left before its message was read. */
function endingWith(ctx: RequestContext, { mcpReq }: ServerContext): RequestContext {
  const { signal } = mcpReq
  return { ...ctx, signal: ctx.signal ? AbortSignal.any([ctx.signal, signal]) : signal }
}

type Tools = ReadonlyMap<string, Tool>

const definitions = new WeakMap<Tools, ReturnType<typeof definitionOf>[]>()

/** Cached: converting schemas to JSON takes longer than a short script. */
function definitionsOf(tools: Tools) {
  const known = definitions.get(tools) ?? [...tools.values()].map(definitionOf)
  definitions.set(tools, known)
  return known
}

function unknownTool(name: string, tools: Tools): ProtocolError {
  const message = `Unknown tool: ${name.slice(0, 100)}. There are: ${[...tools.keys()].join(', ')}.`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

async function asProtocolError<T>(ctx: RequestContext, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const isCallers = error instanceof AppError && error.code !== 'storage_unavailable'
    const code = isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, sentenceOf(ctx, 'resources', error))
  }
}

/** The error message for the model; internal details go to the log. */
function sentenceOf({ service, requestId }: RequestContext, what: string, error: unknown): string {
  if (error instanceof AppError) {
    const isOutage = error.code === 'storage_unavailable' && error.cause !== undefined
    if (isOutage) service.log(faultEvent(requestId, `mcp ${what}`, error))
    return error.message
  }
  service.log(faultEvent(requestId, `mcp ${what}`, error))
  return `Something went wrong on our side. The request was ${requestId}.`
}
