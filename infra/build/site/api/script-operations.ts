/** Describes `POST /execute`. */
import * as z from 'zod'
import { executeBody } from '../../../../src/http/execute.ts'
import type { ApiOperation } from './api-operation.ts'
import { RUN_FAILURES } from './failures.ts'

const fileRow = z.strictObject({
  name: z.string().describe('The path, normalised.'),
  op: z
    .enum(['write', 'append', 'remove'])
    .describe('What became of it, seen from the end of the run.'),
  bytes: z.int().describe('The size of the whole file; 0 for one that is gone.'),
  stored: z.literal(false).optional().describe('Only there when the file could not be stored.'),
  url: z
    .string()
    .optional()
    .describe('Opens the file: presigned by the store, or the same as link.'),
  url_expires_at: z.string().optional(),
  link: z
    .string()
    .optional()
    .describe(
      'The short link of this service, for people and models. Without files:read it opens only what this run wrote, and is absent for files with other content.',
    ),
  expires_at: z.string().optional().describe('Until when the link opens.'),
})

const scriptError = z.strictObject({
  kind: z.enum(['syntax', 'runtime', 'fuel', 'memory', 'timeout', 'limit', 'storage', 'result']),
  message: z.string(),
  line: z.int().optional(),
  traceback: z.string().optional(),
})

const executeAnswer = z.strictObject({
  result: z.unknown().describe('The first value that the script returned; null for none.'),
  result_file: z
    .string()
    .optional()
    .describe('A result that is too large is in this file; result has its beginning.'),
  logs: z.array(z.string()).describe('What the script printed, line by line.'),
  files_touched: z.array(fileRow).describe('Every file that the run changed, by name.'),
  error: scriptError
    .optional()
    .describe('Only there when the script failed; logs and files_touched are there all the same.'),
})

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
      'Runs a Lua 5.4 script in a fresh VM. The answer is 200 whether or not the script failed: a failure is told in `error`, beside the logs and files that it left. What the run cost is in the headers `Server-Timing` and `X-Fuel-Used`. With `Accept: text/event-stream` the same comes as events while the script runs: `log` with `{line}` for each line, `file` with a row for each stored file, at the end `result` with the whole answer and `stats` with `{fuel, ms}`. A client that goes away ends its run.',
    scopes: ['execute'],
    body: executeBody(),
    answers: [
      {
        status: 200,
        description: 'The run is over.',
        content: { 'application/json': executeAnswer, 'text/event-stream': 'events' },
      },
    ],
    failures: RUN_FAILURES,
    example: { body: { script: SCRIPT, args: { count: 3 } } },
  },
]
