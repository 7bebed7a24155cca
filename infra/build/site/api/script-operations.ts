/** The description of `POST /execute`. */
import * as z from 'zod'
import { executeBody } from '../../../../src/http/execute.ts'
import type { ApiOperation } from './api-operation.ts'
import { RUN_FAILURES } from './failures.ts'

/** One file that a run changed. */
const fileRow = z.strictObject({
  name: z.string().describe('The path, normalised.'),
  op: z
    .enum(['write', 'append', 'remove'])
    .describe('What happened to it, as of the end of the run.'),
  bytes: z.int().describe('Size of the whole file; 0 if it was removed.'),
  stored: z.literal(false).optional().describe('Present only if the file could not be stored.'),
  url: z
    .string()
    .optional()
    .describe('Opens the file; presigned by the store, or the same as link.'),
  url_expires_at: z.string().optional(),
  link: z
    .string()
    .optional()
    .describe(
      'A short link to this service, for people and models. Without files:read, it opens only what this run wrote, and is absent for files with other content.',
    ),
  expires_at: z.string().optional().describe('When the link expires.'),
})

const scriptError = z.strictObject({
  kind: z.enum(['syntax', 'runtime', 'fuel', 'memory', 'timeout', 'limit', 'storage', 'result']),
  message: z.string(),
  line: z.int().optional(),
  traceback: z.string().optional(),
})

/** The response of a run over HTTP. */
const executeAnswer = z.strictObject({
  result: z.unknown().describe('The first value that the script returned, or null.'),
  result_file: z
    .string()
    .optional()
    .describe('The file with a result that is too large; result has its beginning.'),
  logs: z.array(z.string()).describe('The lines that the script printed.'),
  files_touched: z.array(fileRow).describe('Every file that the run changed, by name.'),
  error: scriptError
    .optional()
    .describe('Present only if the script failed; logs and files_touched are present either way.'),
})

/** The example. */
export const SCRIPT = `local out <close> = assert(io.open("output/squares.csv", "w"))
local sum = 0
for i = 1, args.count do
  out:write(i, ",", i * i, "\\n")
  sum = sum + i * i
end
print("done")
return {rows = args.count, sum = sum}`

export const SCRIPT_OPERATIONS: readonly ApiOperation[] = [
  {
    id: 'execute_script',
    group: 'Scripts',
    method: 'post',
    path: '/execute',
    title: 'Run a script',
    description:
      'Runs a Lua 5.4 script in a fresh VM. The status is 200 whether or not the script failed; a failure is in `error`, beside the logs and files. The headers `Server-Timing` and `X-Fuel-Used` report time and fuel. With `Accept: text/event-stream`, the response is a stream of events: `log` with `{line}` for each line and `file` with an entry for each stored file while the script runs, then `result` with the whole response and `stats` with `{fuel, ms}`. The run ends if the client disconnects.',
    scopes: ['execute'],
    body: executeBody(),
    answers: [
      {
        status: 200,
        description: 'The run has ended.',
        content: { 'application/json': executeAnswer, 'text/event-stream': 'events' },
      },
    ],
    failures: RUN_FAILURES,
    example: { body: { script: SCRIPT, args: { count: 3 } } },
  },
]
