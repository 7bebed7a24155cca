/** Runs a script: `POST /execute`, and a tool whose responses are short enough for a model. */
import { RawJson } from '../../lib/raw-json.ts'
import { operation } from '../operation.ts'
import { executeForModels } from './execute-for-models.ts'
import { executeRequest, toExecuteInput } from './execute-request.ts'
import { executeScript } from './execute-script.ts'
import { runAnswer } from './run-answer.ts'

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
    const {
      resultJson,
      logs_file: _,
      ...answer
    } = await executeScript(ctx, toExecuteInput(ctx.service, request, argsJson))
    return { result: new RawJson(resultJson), ...answer }
  },
  forModels: executeForModels,
})
