/** The variant of `execute` for models: a short description, and short responses. */
import * as z from 'zod'
import { EXAMPLE_SCRIPT, MODEL_SUMMARY as told } from '../../lua-reference/model-summary.ts'
import { isJson, parseJson } from '../../lib/parse-json.ts'
import { isModest, scanJson } from '../../lib/scan-json.ts'
import type { ForModels } from '../operation.ts'
import { executeRequest, toExecuteInput } from './execute-request.ts'
import { executeScript } from './execute-script.ts'
import { modelAnswer } from './run-answer.ts'
import { summariseFiles } from './summarise-files.ts'

const MAX_RESULT_BYTES = 16_384
const MAX_LOG_BYTES = 8_192

/** `os.time`, `os.date` becomes `os.time/date`. */
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
export const executeForModels: ForModels<ReturnType<typeof input>> = {
  title: 'Run a Lua script',
  description: describe(', network.'),
  descriptionWithApis: describe(`; no network but sdk.
APIs: sdk.<api>.<function>{param = …, body = …} gives decoded data and raises {status, code, message}; a second table {save_to = "output/x.json"} stores the answer instead. for page in sdk.pages(f, args); sdk.parallel{{f, args}, …}. Find functions with search_docs.`),
  input,
  output: modelAnswer,

  async run(ctx, request) {
    const asked = toExecuteInput(ctx.service, request, argsText(request.args))
    const { resultJson, ...answer } = await executeScript(ctx, {
      ...asked,
      limits: { ...asked.limits, resultBytes: MAX_RESULT_BYTES },
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
