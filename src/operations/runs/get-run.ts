/** State and answer of a run: `GET /runs/<id>` and the tool `get_run`. */
import * as z from 'zod'
import { pause } from '../../lib/abort.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { jsonText, RawJson } from '../../lib/json/raw-json.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { runAnswer } from '../run/run-answer.ts'
import { shortenAnswer } from '../run/shorten-answer.ts'
import type { RequestContext } from '../service.ts'
import {
  answerOf,
  loadRun,
  openRun,
  runIdField,
  runState,
  stateOf,
  withLinks,
  type OpenedRun,
} from './read-run.ts'
import { isOver } from './record/run-record.ts'

const MAX_WAIT_S = 30
const LOOK_MS = 500

const input = () =>
  z.strictObject({
    id: runIdField(),
    wait: z
      .int('must be a whole number of seconds')
      .min(0, 'must be at least 0')
      .max(MAX_WAIT_S, `must be at most ${MAX_WAIT_S}`)
      .optional()
      .describe(`Seconds to wait for its end, up to ${MAX_WAIT_S}.`),
  })

/** Polls: a Worker request must not resume another. */
export async function waitForEnd(
  ctx: RequestContext,
  opened: OpenedRun,
  waitS: number,
): Promise<OpenedRun> {
  const { stopping } = ctx.service
  let run = opened
  for (let left = (waitS * 1000) / LOOK_MS; left > 0 && !isOver(run.record); left--) {
    if (stopping?.aborted) return run
    await pause(LOOK_MS, ctx.signal).catch(() => undefined)
    if (ctx.signal?.aborted) return run
    run = await loadRun(ctx, run.store)
  }
  return run
}

async function readAnswer(ctx: RequestContext, run: OpenedRun) {
  const answer = await answerOf(run)
  return answer && withLinks(ctx, run.record, answer)
}

export const getRun = operation({
  name: 'get_run',
  route: 'GET /runs/{id}',
  tool: 'get_run',
  title: 'Get a run',
  description:
    'The state of a run and, once it has ended, its answer, which is that of `/execute` with new links. With `wait` the response comes when the run has ended, or after that many seconds.',
  scopes: ['execute'],
  hints: READS_ONLY,
  needs: 'runs',
  input,
  output: () => runState().extend({ answer: runAnswer().optional() }),

  async run(ctx, { id, wait = 0 }) {
    const run = await waitForEnd(ctx, await openRun(ctx, id), wait)
    const read = await readAnswer(ctx, run)
    if (!read) return stateOf(run.record)
    const { resultJson, logs_file: _, ...answer } = read
    const text = jsonText({ result: new RawJson(resultJson), ...answer })
    return { ...stateOf(run.record), answer: new RawJson(text) as never }
  },

  forModels: {
    description:
      'State of a background run and, once it ends, its answer. Call with wait: 30 while it is queued or running. lost: its process died; files_touched is what it had stored.',
    // Models know it from that tool; a second copy would cost them hundreds of tokens.
    output: () =>
      runState().extend({
        answer: z.looseObject({}).optional().describe('What execute_script returns.'),
      }),
    async run(ctx, { id, wait = 0 }: z.output<ReturnType<typeof input>>) {
      const run = await waitForEnd(ctx, await openRun(ctx, id), wait)
      const read = await readAnswer(ctx, run)
      if (!read) return stateOf(run.record)
      const { resultJson, ...answer } = await shortenAnswer(ctx, read, run.record.linkTtlS)
      return { ...stateOf(run.record), answer: { result: parseJson(resultJson), ...answer } }
    },
  },
})
