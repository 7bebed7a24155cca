/** The tool that runs scripts: `POST /execute` with an answer short enough for a model. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { TOLD_TO_MODELS as told } from '../lua-reference/told-to-models.ts'
import { once } from '../once.ts'
import { callerAuth, checkCallerAuth } from '../operations/caller-auth.ts'
import { checkInput } from '../operations/check-input.ts'
import { answerBody, shortRowBody } from '../operations/run/execute-answer.ts'
import { executeRequest, toExecuteInput } from '../operations/run/execute-request.ts'
import { executeScript, type ExecuteAnswer } from '../operations/run/execute-script.ts'
import type { RequestContext } from '../operations/service.ts'
import { isJson, parseJson } from '../parse-json.ts'
import { isModest, scanJson } from '../scan-json.ts'
import { resourceLink } from './file-content.ts'
import { summariseFiles } from './summarise-files.ts'
import { refusal, type Tool } from './tool.ts'

const MAX_RESULT_BYTES = 16_384
const MAX_LOG_BYTES = 8_192

/** `os.time`, `os.date` as `os.time/date`. */
const shortened = ([first, ...rest]: readonly string[]) =>
  [first, ...rest.map((name) => name.split(/[.:]/)[1])].join('/')

const describe = (
  network: string,
) => `Runs a Lua 5.4 script in a fresh sandbox; answers with its result, its logs and the files it wrote, each with a link that opens in a browser. For loops, data and many files; for one small file use the file tools.

Files: the standard io library (${told.io.join(', ')}, ${shortened(told.handle)}), ${told.files.join(', ')}. Paths are relative, folders come by themselves, files stay for later calls. Write to "output/" what a person should open, to "share/" what your team should see.
Also: ${told.libraries.join(', ')}, ${shortened(told.time)}, ${told.json.join(', ')}, ${told.log} (into logs), args.
Absent: ${told.absent.join(', ')}${network}
The returned value becomes JSON: return a summary, write large data to files.

Example, with args {"count": 3}:
local out <close> = assert(io.open("output/squares.csv", "w"))
local sum = 0
for i = 1, args.count do
  out:write(i, ",", i * i, "\\n")
  sum = sum + i * i
end
print("done")
return {rows = args.count, sum = sum}`

const metaSchema = once(() => z.object({ auth: callerAuth() }))

/**
 * Takes any JSON, and shows no more than what every provider accepts. Strict schemas allow no object with free fields:
 * there a model writes the object as JSON text.
 */
const argsField = () =>
  z
    .unknown()
    .optional()
    .meta({
      anyOf: [{ type: 'object', properties: {} }, { type: 'string' }],
      description: 'The global args of the script: an object, or JSON text of an object or list.',
    })

const inputSchema = once(() => executeRequest().extend({ args: argsField() }))

const anyJson = () =>
  z.unknown().meta({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] })

const answerSchema = () =>
  z.strictObject({
    result: anyJson(),
    result_file: z.string().optional(),
    logs: z.array(z.string()),
    logs_file: z.string().optional(),
    files_touched: z.array(
      z.strictObject({
        name: z.string(),
        op: z.enum(['write', 'append', 'remove']),
        bytes: z.int(),
        stored: z.literal(false).optional(),
        link: z.string().optional(),
        expires_at: z.string().optional(),
      }),
    ),
    more_files: z
      .strictObject({ count: z.int(), folder: z.string(), link: z.string().optional() })
      .optional(),
    error: z
      .strictObject({
        kind: z.string(),
        message: z.string(),
        line: z.int().optional(),
        traceback: z.string().optional(),
      })
      .optional(),
  })

/** Where no API is configured. */
export const executeTool: Tool = {
  name: 'execute_script',
  title: 'Run a Lua script',
  description: describe(', network.'),
  scopes: ['execute'],
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
  },
  input: inputSchema,
  output: answerSchema,

  async call(ctx, args, { progress, auth }) {
    const credentials = checkCallerAuth(checkInput({ auth }, metaSchema()).auth, ctx.service)
    const request = checkInput(args, inputSchema())
    const input = toExecuteInput(request, argsText(request.args))
    const { answer } = await executeScript(
      ctx,
      {
        ...input,
        limits: { ...input.limits, resultBytes: MAX_RESULT_BYTES },
        inlineLogBytes: MAX_LOG_BYTES,
        callerAuth: credentials,
      },
      { onLog: (line) => progress.say(line) },
    )
    return toolResult(ctx, answer, request.link_ttl_s)
  },
  refuse: (_, message) => refusal(message),
}

/** Where there is one. */
export const executeToolWithApis: Tool = {
  ...executeTool,
  description: describe(`; no network but sdk.
APIs: sdk.<api>.<function>{param = …, body = …} gives decoded data and raises {status, code, message}; a second table {save_to = "output/x.json"} stores the answer instead. for page in sdk.pages(f, args); sdk.parallel{{f, args}, …}. Find functions with search_docs.`),
}

/**
 * JSON text, as the doors make it of what was sent. Where a model may send no objects of its own, such as under strict
 * schemas, it sends that object or list as a string.
 */
function argsText(args: unknown): string | undefined {
  if (args === undefined) return undefined
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  if (!/^\s*"\s*[[{]/.test(text)) return text
  const inner = JSON.parse(text) as string
  return isModest(scanJson(inner)) && isJson(inner) ? inner : text
}

async function toolResult(
  ctx: RequestContext,
  answer: ExecuteAnswer,
  linkTtlS: number | undefined,
): Promise<CallToolResult> {
  const { rows, more } = await summariseFiles(ctx, answer, linkTtlS)
  const structuredContent = {
    result: parseJson(answer.resultJson),
    ...answerBody({ ...answer, filesTouched: rows }, shortRowBody),
    ...(more && { more_files: more }),
  }
  const json = JSON.stringify(structuredContent)
  const { error } = answer
  const text = error ? `Script execution error: ${error.message}\n${json}` : json
  const links = rows.flatMap(({ link, name, bytes }) =>
    link ? [resourceLink(link, name, bytes)] : [],
  )
  return {
    structuredContent,
    content: [{ type: 'text', text }, ...links],
    ...(error && { isError: true }),
  }
}
