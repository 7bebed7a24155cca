/** Runs a script: `POST /execute`, and a tool whose responses are short enough for a model. */
import * as z from 'zod'
import { callerAuthField, checkCallerAuth } from '../apis/caller-auth.ts'
import { countField } from '../fields.ts'
import { LIMIT_ROWS } from '../../limits.ts'
import { ttlField } from '../links/file-links.ts'
import type { Service } from '../service.ts'
import { once } from '../../lib/once.ts'
import { EXAMPLE_SCRIPT, MODEL_SUMMARY as lua } from '../../lua-reference/model-summary.ts'
import { isJson, parseJson } from '../../lib/parse-json.ts'
import { isModest, scanJson } from '../../lib/scan-json.ts'
import { operation, type ForModels } from '../operation.ts'
import { RawJson } from '../../lib/raw-json.ts'
import { executeScript, type ExecuteInput } from './execute-script.ts'
import { modelAnswer, runAnswer } from './run-answer.ts'
import { summariseFiles } from './summarise-files.ts'

/** For models. */
const MAX_RESULT_BYTES = 16_384
const MAX_LOG_BYTES = 8_192

/** What a caller may lower. */
const LIMIT_FIELDS = LIMIT_ROWS.flatMap(([name, { field }]) =>
  field ? [[name, field] as const] : [],
)

/** Strict: an unknown field is probably a misspelt one. */
export const executeRequest = once(() =>
  z.strictObject({
    script: z.string('must be a string: the Lua source').describe('Lua 5.4 source.'),
    args: z.unknown().optional().describe('Any JSON: the global args of the script.'),
    limits: z
      .strictObject(
        Object.fromEntries(LIMIT_FIELDS.map(([, { name, min }]) => [name, countField(min)])),
      )
      .optional()
      .describe('Lower limits than the service has.'),
    commit: z
      .enum(['on_close', 'on_success'], 'must be "on_close" or "on_success"')
      .default('on_close')
      .describe('on_success stores nothing if the script fails.'),
    link_ttl_s: ttlField().describe('Lifetime of links in seconds.'),
    auth: callerAuthField(),
  }),
)

/**
 * @param argsJson `args` as JSON text, which keeps large numbers exact.
 * @throws {AppError} `invalid_request` for credentials that no API takes.
 */
function toExecuteInput(
  service: Service,
  { limits = {}, ...request }: z.output<ReturnType<typeof executeRequest>>,
  argsJson: string | undefined,
): ExecuteInput {
  return {
    script: request.script,
    argsJson,
    limits: Object.fromEntries(LIMIT_FIELDS.map(([limit, { name }]) => [limit, limits[name]])),
    commit: request.commit,
    linkTtlS: request.link_ttl_s,
    callerAuth: checkCallerAuth(request.auth, service),
  }
}

/** `os.time`, `os.date` becomes `os.time/date`. */
const shortened = ([first, ...rest]: readonly string[]) =>
  [first, ...rest.map((name) => name.split(/[.:]/)[1])].join('/')

const describe = (
  network: string,
) => `Runs a Lua 5.4 script in a fresh sandbox; answers with its result, its logs and the files it wrote, each with a link that opens in a browser. For loops, data and many files; for one small file use the file tools.

Files: the standard io library (${lua.io.join(', ')}, ${shortened(lua.handle)}), ${lua.files.join(', ')}. Paths are relative, folders come by themselves, files stay for later calls. Write to "output/" what a person should open, to "share/" what your team should see.
Also: ${lua.libraries.join(', ')}, ${shortened(lua.time)}, ${lua.json.join(', ')}, ${lua.log} (into logs), args.
Absent: ${lua.absent.join(', ')}${network}
The returned value becomes JSON: return a summary, write large data to files.

Example, with args {"count": 3}:
${EXAMPLE_SCRIPT}`

/**
 * Accepts any JSON; the schema shows only what every provider accepts. Strict schemas allow no
 * free-form objects: there a model sends the object as JSON text.
 */
const argsField = () =>
  z
    .unknown()
    .optional()
    .meta({
      anyOf: [{ type: 'object', properties: {} }, { type: 'string' }],
      description: 'The global args of the script: an object, or JSON text of an object or list.',
    })

const input = () => executeRequest().extend({ args: argsField() })

/** How the tool `execute_script` differs from `POST /execute`. */
const executeForModels: ForModels<ReturnType<typeof input>> = {
  title: 'Run a Lua script',
  description: describe(', network.'),
  descriptionWithApis: describe(`; no network but sdk.
APIs: sdk.<api>.<function>{param = …, body = …} gives decoded data and raises {status, code, message}; a second table {save_to = "output/x.json"} stores the answer instead. sdk.dump(f, args, {save_to = "output/x.csv"}) stores all pages as one file, of any size; for page in sdk.pages(f, args); sdk.parallel{{f, args}, …}. Find functions with search_docs.`),
  input,
  output: modelAnswer,

  async run(ctx, request) {
    const executeInput = toExecuteInput(ctx.service, request, argsText(request.args))
    const { resultJson, ...answer } = await executeScript(ctx, {
      ...executeInput,
      limits: { ...executeInput.limits, resultBytes: MAX_RESULT_BYTES },
      inlineLogBytes: MAX_LOG_BYTES,
    })
    const files = await summariseFiles(ctx, answer, request.link_ttl_s)
    return { result: parseJson(resultJson), ...answer, ...files }
  },
}

/**
 * A string is JSON text already. Under strict schemas models send an object or list as a JSON
 * string, which is unwrapped here.
 */
function argsText(args: unknown): string | undefined {
  if (args === undefined) return undefined
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  if (!/^\s*"\s*[[{]/.test(text)) return text
  const inner = JSON.parse(text) as string
  return isModest(scanJson(inner)) && isJson(inner) ? inner : text
}

export const execute = operation({
  name: 'execute',
  route: 'POST /execute',
  tool: 'execute_script',
  title: 'Run a script',
  description:
    'Runs a Lua 5.4 script in a fresh VM. The status is 200 whether or not the script failed; a failure is in `error`, beside the logs and files. The headers `Server-Timing` and `X-Fuel-Used` report time and fuel. With `Accept: text/event-stream` it answers as `/execute/events` does.',
  scopes: ['execute'],
  hints: { destructive: true, idempotent: false },
  eventsPath: '/execute/events',
  exactField: 'args',
  input: executeRequest,
  output: runAnswer,

  async run(ctx, request) {
    const argsJson = request.args as string | undefined
    const executeInput = toExecuteInput(ctx.service, request, argsJson)
    const { resultJson, ...answer } = await executeScript(ctx, executeInput)
    return { result: new RawJson(resultJson), ...answer }
  },
  forModels: executeForModels,
})
