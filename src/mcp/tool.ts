/** What a tool is to a model: how it is described, who may call it, and what it answers. */
import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import type { Scope } from '../caller.ts'
import type { RequestContext } from '../operations/service.ts'
import type { Progress } from './progress.ts'
import { schemaJson } from './schema-json.ts'

/** One tool. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scopes: readonly Scope[]
  readonly annotations: Annotations
  readonly input: () => z.ZodType
  readonly output: () => z.ZodType
  /** Stand for what a model leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined
  /** @throws {AppError} */
  call(ctx: RequestContext, args: unknown, call: ToolCall): Promise<CallToolResult>
  /** Answers with why not, as something the model can act on. */
  refuse(ctx: RequestContext, message: string): CallToolResult
}

/** What comes with a call beside its arguments. */
interface ToolCall {
  readonly progress: Progress
  /** The caller's own credentials: hosts put them where models do not see them. */
  readonly auth?: unknown
}

/** Hosts decide by these which calls a person has to allow. */
interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

/** A sentence alone. */
export function refusal(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** The tool as `tools/list` shows it. */
export function definitionOf({ name, title, description, annotations, ...tool }: Tool) {
  const inputSchema = schemaJson(tool.input(), 'input')
  for (const [field, value] of Object.entries(tool.defaults ?? {})) {
    Object.assign(inputSchema.properties![field]!, { default: value })
  }
  const outputSchema = schemaJson(tool.output(), 'output')
  return { name, title, description, inputSchema, outputSchema, annotations } as ToolDefinition
}
