/** Makes tools of the operations on files: the same schemas, the same work, the same answer as over HTTP. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { checkInput } from '../operations/check-input.ts'
import { scopesOf, type Operation } from '../operations/operation.ts'
import type { RequestContext } from '../operations/service.ts'
import { resourceLink } from './file-content.ts'
import { refusal, type Tool } from './tool.ts'

/** The output is the answer. */
export function plainTool(operation: Operation): Tool {
  return {
    ...describe(operation),
    output: operation.output,
    async call(ctx, args) {
      const { input, output } = await run(operation, ctx, args)
      return { structuredContent: output, content: contentOf(output, input, output) }
    },
    refuse: (_, message) => refusal(message),
  }
}

/** Answer and refusal come in the envelope that `/fs` has. */
export function envelopeTool(operation: Operation): Tool {
  const metadataOf = (ctx: RequestContext) => ({
    operation: operation.name,
    request_id: ctx.requestId,
  })
  return {
    ...describe(operation),
    output: () =>
      z.strictObject({
        success: z.boolean(),
        data: operation.output().nullable(),
        error: z.string().nullable(),
        metadata: z.object(),
      }),
    async call(ctx, args) {
      const { input, output } = await run(operation, ctx, args)
      const answer = { success: true, data: output, error: null, metadata: metadataOf(ctx) }
      return { structuredContent: answer, content: contentOf(answer, input, output) }
    },
    refuse(ctx, message) {
      const answer = { success: false, data: null, error: message, metadata: metadataOf(ctx) }
      return { structuredContent: answer, content: contentOf(answer), isError: true }
    },
  }
}

function describe(operation: Operation) {
  const { tool, title, description, scope, isDestructive, isIdempotent, input } = operation
  return {
    name: tool,
    title,
    description,
    scopes: scopesOf(operation),
    annotations: {
      readOnlyHint: scope === 'files:read',
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
    },
    input,
    defaults: operation.toolDefaults,
  }
}

type Fields = Record<string, unknown>

async function run(operation: Operation, ctx: RequestContext, args: unknown) {
  const asked = { ...operation.toolDefaults, ...(args as Fields) }
  const input = checkInput(asked, operation.input()) as Fields
  for (const [field, most] of Object.entries(operation.toolMaxima ?? {})) {
    input[field] = Math.min(Number(input[field]), most)
  }
  const output = (await operation.run(ctx, input)) as Fields
  return { input, output }
}

/** The whole answer as text, for hosts that show models nothing else, and what there is to open. */
function contentOf(answer: Fields, input?: Fields, output?: Fields): CallToolResult['content'] {
  const text = { type: 'text', text: JSON.stringify(answer) } as const
  if (typeof output?.link !== 'string') return [text]
  const path = String(output.path ?? input?.path)
  const bytes = typeof output.bytes === 'number' ? output.bytes : undefined
  return [text, resourceLink(output.link, path, bytes)]
}
