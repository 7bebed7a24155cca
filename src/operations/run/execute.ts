/** Runs a script: `POST /execute`, and a tool whose responses are short enough for a model. */
import * as z from 'zod'
import { callerAuthField, checkCallerAuth } from '../apis/caller-auth.ts'
import { countField, flagField } from '../fields.ts'
import { executeOrStart } from '../runs/execute-or-start.ts'
import { runReference, runState } from '../runs/read-run.ts'
import { MAX_MODEL_LOG_BYTES, MAX_MODEL_RESULT_BYTES } from './model-limits.ts'
import { LIMIT_ROWS } from '../../limits.ts'
import { ttlField } from '../links/file-links.ts'
import type { Service } from '../service.ts'
import { once } from '../../lib/once.ts'
import { EXAMPLE_SCRIPT, MODEL_SUMMARY as lua } from '../../lua-reference/model-summary.ts'
import { isJson, parseJson } from '../../lib/json/parse-json.ts'
import { isModest, scanJson } from '../../lib/json/scan-json.ts'
import { operation, type ForModels } from '../operation.ts'
import { RawJson } from '../../lib/json/raw-json.ts'
import type { ExecuteInput } from './execute-script.ts'
import { modelAnswer, runAnswer } from './run-answer.ts'
import { shortenPlan } from './plan/shorten-plan.ts'
import { summariseFiles } from './summarise-files.ts'

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
      .describe('Limits lower than those of the service.'),
    commit: z
      .enum(['on_close', 'on_success'], 'must be "on_close" or "on_success"')
      .default('on_close')
      .describe('on_success stores nothing if the script fails.'),
    plan: flagField(false).describe(
      'Stores nothing, and sends APIs only calls that read: the answer says what a run would do.',
    ),
    link_ttl_s: ttlField().describe('How long links work, in seconds; a day by default.'),
    auth: callerAuthField(),
    background: flagField(false).describe('Returns at once; the run continues: see /runs/<id>.'),
    notify: z
      .string('must be an https address')
      .max(2048, 'must have at most 2048 characters')
      .optional()
      .describe(
        'For background runs: receives a signed message at the end, if its host is allowed.',
      ),
    retry: flagField(false).describe(
      'For background runs: runs the script again if its process dies.',
    ),
  }),
)

type ExecuteRequest = z.output<ReturnType<typeof executeRequest>>

/**
 * @param argsJson `args` as JSON text, which keeps large numbers exact.
 * @throws {AppError} `invalid_request` for credentials that no API takes.
 */
function toExecuteInput(
  service: Service,
  { limits = {}, ...request }: Omit<ExecuteRequest, 'retry' | 'plan'> & { plan?: boolean },
  argsJson: string | undefined,
): ExecuteInput {
  return {
    script: request.script,
    argsJson,
    limits: Object.fromEntries(LIMIT_FIELDS.map(([limit, { name }]) => [limit, limits[name]])),
    commit: request.commit,
    isPlan: request.plan,
    linkTtlS: request.link_ttl_s,
    callerAuth: checkCallerAuth(request.auth, service),
  }
}

const NETWORK = `; no network but sdk.
APIs: sdk.<api>.<function>{param = …, body = …} returns decoded data or raises {status, code, message}; a second table {save_to = "output/x.json"} stores the answer instead. sdk.dump(f, args, {save_to = "output/x.csv"}) stores all pages as one file, of any size; for page in sdk.pages(f, args); sdk.parallel{{f, args}, …}. Find functions with search_docs.`

const BACKGROUND = `
If it may take more than 20 seconds, set background: true, then call get_run.`

/** `os.time`, `os.date` becomes `os.time/date`. */
const shortened = ([first, ...rest]: readonly string[]) =>
  [first, ...rest.map((name) => name.split(/[.:]/)[1])].join('/')

const describe = (
  network: string,
  background: string,
) => `Runs a Lua 5.4 script in a fresh sandbox; returns its result, logs and the files it wrote, the first 10 with links that open in a browser. For one small file use the file tools.

Files: the standard io library (${lua.io.join(', ')}, ${shortened(lua.handle)}), ${lua.files.join(', ')}; io.list returns names. Paths are relative, folders are created as needed, files persist between calls. Write what a person should open to "output/", what your team should see to "share/".
Also: ${lua.libraries.join(', ')}, ${shortened(lua.time)}, ${lua.json.join(', ')}, ${lua.formats.join(', ')} …, ${lua.log} (into logs), ${lua.modules}, args.
Absent: ${lua.absent.join(', ')}${network}
The returned value becomes JSON, integers beyond 2^53 strings: return a summary, write large data to files.${background}

Example, with args {"count": 3}:
${EXAMPLE_SCRIPT}`

/**
 * Accepts any JSON; the schema shows only what every provider accepts. Strict schemas allow no
 * free-form objects: there a model sends the object as JSON text.
 */
export const argsField = () =>
  z
    .unknown()
    .optional()
    .meta({
      anyOf: [{ type: 'object', properties: {} }, { type: 'string' }],
      description: 'The global args: an object, or JSON text of an object or list.',
    })

const input = () =>
  executeRequest()
    .omit({ notify: true, retry: true })
    .extend({
      args: argsField(),
      plan: flagField(false).describe(
        'Dry run: plan in the answer says what would be stored and sent.',
      ),
      background: flagField(false).describe('Returns at once with a run to wait for.'),
    })

/** Of a run that goes on in the background, the rest is empty. */
const output = () => modelAnswer().extend({ run: runReference().optional() })

/** How the tool `execute_script` differs from `POST /execute`. */
const executeForModels: ForModels<ReturnType<typeof input>> = {
  title: 'Run a Lua script',
  describe: ({ apis, runs }) => describe(apis ? NETWORK : ', network.', runs ? BACKGROUND : ''),
  runFields: ['background'],
  programFields: ['limits'],
  input,
  output,

  async run(ctx, request) {
    const executeInput = toExecuteInput(ctx.service, request, argsText(request.args))
    const { run, answer: executed } = await executeOrStart(ctx, request, {
      ...executeInput,
      limits: { ...executeInput.limits, resultBytes: MAX_MODEL_RESULT_BYTES },
      inlineLogBytes: MAX_MODEL_LOG_BYTES,
    })
    if (run) return { run, result: null, logs: [], files_touched: [] }
    const { resultJson, ...answer } = executed
    const files = await summariseFiles(ctx, answer, request.link_ttl_s)
    const plan = answer.plan && shortenPlan(answer.plan)
    return { result: parseJson(resultJson), ...answer, ...files, plan }
  },
}

/**
 * A string is JSON text already. Under strict schemas models send an object or list as a JSON
 * string, which is unwrapped here.
 */
export function argsText(args: unknown): string | undefined {
  if (args === undefined) return undefined
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  if (!/^\s*"\s*[[{]/.test(text)) return text
  const inner = JSON.parse(text) as string
  return isModest(scanJson(inner)) && isJson(inner) ? inner : text
}

const keyHeader = once(() =>
  z.object({
    'Idempotency-Key': z
      .string()
      .optional()
      .describe('Requests with the same key and body are one run, for 24 hours.'),
  }),
)

export const execute = operation({
  name: 'execute',
  route: 'POST /execute',
  tool: 'execute_script',
  title: 'Run a script',
  description:
    'Runs a Lua 5.4 script in a fresh VM. The status is 200 whether or not the script failed; a failure is in `error`, beside the logs and files. The headers `Server-Timing` and `X-Fuel-Used` report time and fuel. With `Accept: text/event-stream`, it responds like `/execute/events`. With `background`, or `Prefer: respond-async`, it responds like `POST /runs`, with 202.',
  scopes: ['execute'],
  hints: { destructive: true, idempotent: false },
  isRun: true,
  eventsPath: '/execute/events',
  exactField: 'args',
  headers: () =>
    keyHeader().extend({
      Prefer: z.string().optional().describe('`respond-async` does the same as `background`.'),
    }),
  input: executeRequest,
  output: runAnswer,

  async run(ctx, request) {
    const argsJson = request.args as string | undefined
    const executeInput = toExecuteInput(ctx.service, request, argsJson)
    const { run, answer: executed } = await executeOrStart(ctx, request, executeInput)
    // The status says which of the two it is.
    if (run) return { run } as never
    const { resultJson, ...answer } = executed
    return { result: new RawJson(resultJson), ...answer }
  },
  forModels: executeForModels,
})

/** A separate request, so that each has one response type; models use `execute_script`. */
export const startInBackground = operation({
  name: 'start_run',
  route: 'POST /runs',
  title: 'Start a run',
  description:
    'Starts a script in the background and returns at once; `Location` has the address of the run. `POST /execute` with `background` does the same.',
  scopes: ['execute'],
  hints: { destructive: true, idempotent: false },
  needs: 'runs',
  exactField: 'args',
  headers: keyHeader,
  input: () => executeRequest().omit({ auth: true, background: true, plan: true }),
  output: () => z.strictObject({ run: runState() }),

  async run(ctx, sent) {
    const request = { ...sent, auth: undefined, background: true }
    const executeInput = toExecuteInput(ctx.service, request, sent.args as string | undefined)
    const { run } = await executeOrStart(ctx, request, executeInput)
    // In the background there is no answer yet.
    return { run: run! }
  },
})
