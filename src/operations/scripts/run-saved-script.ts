/** Runs a saved script with checked arguments, as `execute` would run its text. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { flagField, textField } from '../fields.ts'
import { operation } from '../operation.ts'
import { argsField, argsText, execute, executeRequest } from '../run/execute.ts'
import { runAnswer } from '../run/run-answer.ts'
import type { RequestContext } from '../service.ts'
import { checkArgs } from './check-args.ts'
import { readSavedScript } from './saved-script.ts'

const nameField = () => textField().describe('Such as reports/daily or share/daily.')

const request = () => executeRequest().omit({ script: true }).extend({ name: nameField() })

export const runSavedScript = operation({
  name: 'run_saved_script',
  route: 'POST /scripts/{name+}',
  tool: 'run_saved_script',
  title: 'Run a saved script',
  description:
    'Runs `scripts/<name>.lua`, or the one in the shared folder as `share/<name>`, with `args` as its first comment describes them: missing, unknown and invalid ones get 422. Otherwise it is like `POST /execute`, including events and background.',
  scopes: ['execute', 'files:read'],
  hints: { destructive: true, idempotent: false },
  isRun: true,
  exactField: 'args',
  headers: execute.headers!,
  input: request,
  output: runAnswer,

  async run(ctx, { name, args, ...rest }) {
    return execute.run(ctx, { ...rest, ...(await prepare(ctx, name, args as string | undefined)) })
  },

  forModels: {
    description: 'Runs a script from list_saved_scripts; returns what execute_script does.',
    runFields: ['background'],
    input: () =>
      request()
        .pick({ name: true, args: true, auth: true, background: true })
        .extend({
          args: argsField().describe('By its schema; may be JSON text.'),
          background: flagField(false).describe('Returns at once with a run to wait for.'),
        }),
    output: () =>
      // As that of `execute_script`, which models have read already.
      z.looseObject({ files_touched: z.array(z.looseObject({})) }),

    async run(ctx, { name, args, ...rest }) {
      const prepared = await prepare(ctx, name, argsText(args))
      return execute.asTool.run(ctx, { ...rest, ...prepared })
    },
  },
})

/** @throws {AppError} */
async function prepare(ctx: RequestContext, name: string, argsJson: string | undefined) {
  const { script, schema, problem } = await readSavedScript(ctx, name)
  if (problem !== undefined) {
    const message = `The saved script ${JSON.stringify(name)} is not described correctly: ${problem}. Correct its first comment.`
    throw new AppError('invalid_request', message)
  }
  return { script, args: checkArgs(schema, argsJson) }
}
