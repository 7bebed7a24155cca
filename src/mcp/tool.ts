/** Exposes operations as MCP tools. */
import type {
  CallToolResult,
  ResourceLink,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { accepted, eitherSchema, hasEnvelope, refused } from '../operations/envelope.ts'
import type { Has, Operation } from '../operations/operation.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import { schemaJson } from './schema-json.ts'
import { contentTypeOf } from '../files/content-type.ts'
import { OPERATIONS } from '../operations/registry.ts'

export type Tool = Operation & {
  readonly tool: string
  /** Fields that models do not see. */
  readonly hidden?: ReadonlySet<string>
}

type Tools = ReadonlyMap<string, Tool>

/** Every tool of any service. */
export const ALL_TOOLS = toolsWhere({ apis: true, runs: true, quotas: true })

const offered = new Map<string, Tools>()

/** The tools of a service, and of a caller with quotas. Cached, so that their definitions are. */
export function toolsOf(
  { apis, runQueue }: Pick<Service, 'apis' | 'runQueue'>,
  hasQuotas = false,
): Tools {
  const has = { apis: apis !== undefined, runs: runQueue !== undefined, quotas: hasQuotas }
  const name = JSON.stringify(has)
  const known = offered.get(name) ?? toolsWhere(has)
  offered.set(name, known)
  return known
}

function toolsWhere(has: Has): Tools {
  const tools = OPERATIONS.flatMap(({ tool, needs, asTool }) => {
    if (tool === undefined || (needs && !has[needs])) return []
    const { description, describe = () => description } = asTool
    const { runFields = [], programFields = [] } = asTool
    const hidden = new Set([...programFields, ...(has.runs ? [] : runFields)])
    return [{ ...asTool, tool, description: describe(has), hidden }]
  })
  return new Map(tools.map((tool) => [tool.tool, tool]))
}

type Fields = Readonly<Record<string, unknown>>

/** Sent beside the arguments, hidden from models: hosts pass the caller's credentials this way. */
const HIDDEN_FIELD = 'auth'

const definitions = new WeakMap<Tools, ToolDefinition[]>()

/** For `tools/list`. Cached: converting schemas to JSON takes longer than a short script. */
export function definitionsOf(tools: Tools): ToolDefinition[] {
  const known = definitions.get(tools) ?? [...tools.values()].map(definitionOf)
  definitions.set(tools, known)
  return known
}

export function definitionOf(tool: Tool) {
  const { tool: name, title, description, hints } = tool
  const inputSchema = schemaJson(tool.input(), 'input')
  for (const field of [HIDDEN_FIELD, ...(tool.hidden ?? [])]) delete inputSchema.properties?.[field]
  for (const [field, value] of Object.entries(tool.defaults ?? {})) {
    Object.assign(inputSchema.properties![field]!, { default: value })
  }
  const output = tool.output()
  const outputSchema = schemaJson(hasEnvelope(tool) ? eitherSchema(output) : output, 'output')
  const { readOnly: readOnlyHint = false, destructive: destructiveHint, idempotent } = hints
  // The last means nothing for tools that only read.
  const idempotentHint = !readOnlyHint && { idempotentHint: idempotent }
  const annotations = { readOnlyHint, destructiveHint, ...idempotentHint }
  return { name, title, description, inputSchema, outputSchema, annotations } as ToolDefinition
}

/**
 * @param auth The caller's own credentials.
 * @throws {AppError}
 */
export async function callTool(
  tool: Tool,
  ctx: RequestContext,
  args: Fields,
  auth: unknown,
): Promise<CallToolResult> {
  const output = (await tool.run(ctx, async () => inputOf(tool, args, auth))) as Fields
  const answer = hasEnvelope(tool) ? accepted(output, metadataOf(tool, ctx)) : output
  const { files_touched = [] } = (output.answer ?? output) as { files_touched?: Fields[] }
  const rows = [{ path: args.path, ...output }, ...files_touched]
  const error = output.error as { readonly message: string } | undefined
  return {
    structuredContent: answer,
    content: [
      // Also as text, for hosts that pass nothing else to models.
      textOf(answer, error && `Script execution error: ${error.message}\n`),
      ...rows.flatMap(linkIn),
    ],
    ...(error && { isError: true }),
  }
}

/** A refusal as a tool result, so that the model can react. */
export function refuseCall(
  tool: Tool,
  ctx: RequestContext,
  error: unknown,
  message: string,
): CallToolResult {
  if (!hasEnvelope(tool)) return { content: [{ type: 'text', text: message }], isError: true }
  const answer = refused(
    message,
    error instanceof AppError ? error.code : 'internal',
    metadataOf(tool, ctx),
  )
  return { structuredContent: answer, content: [textOf(answer)], isError: true }
}

const metadataOf = ({ name }: Tool, { requestId }: RequestContext) => ({
  operation: name,
  request_id: requestId,
})

function inputOf({ defaults, maxima = {}, input }: Tool, args: Fields, auth: unknown): Fields {
  const sent: Record<string, unknown> = { ...defaults, ...args }
  for (const [field, most] of Object.entries(maxima)) {
    if (Number.isSafeInteger(sent[field])) sent[field] = Math.min(Number(sent[field]), most)
  }
  if (!Object.hasOwn((input() as z.ZodObject).shape, HIDDEN_FIELD)) return sent
  if (Object.hasOwn(args, HIDDEN_FIELD)) {
    throw new AppError('invalid_request', `Unrecognized key: "${HIDDEN_FIELD}"`)
  }
  return { ...sent, [HIDDEN_FIELD]: auth }
}

function textOf(answer: object, before = '') {
  return { type: 'text', text: before + JSON.stringify(answer) } as const
}

/** Links a file or folder, or a file touched by a run; hosts show it as something to open. */
function linkIn({ link, path, name = path, bytes }: Fields): ResourceLink[] {
  if (typeof link !== 'string') return []
  const file = typeof bytes === 'number' && { mimeType: contentTypeOf(String(name)), size: bytes }
  return [{ type: 'resource_link', uri: link, name: String(name), ...file }]
}
