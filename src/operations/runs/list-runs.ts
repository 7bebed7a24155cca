/** The caller's runs, newest first: `GET /runs` and the tool `list_runs`. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { runPlace } from '../../files/store/area.ts'
import { cursorField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { areaOwner, type RequestContext } from '../service.ts'
import {
  isWithin,
  requestEnding,
  runReference,
  runState,
  stateOf,
  type RunState,
} from './read-run.ts'
import { isRunId } from './record/run-id.ts'
import { RUN_STATUSES, type RunStatus } from './record/run-record.ts'
import { listRunIds, RunStore } from './record/run-store.ts'
import { settleRun } from './settle-run.ts'

const MAX_ROWS = 100
/** Read for one response, whether or not they are in it. */
const MAX_READ = 300
const READ_AT_ONCE = 10

const input = () =>
  z.strictObject({
    status: z
      .enum(RUN_STATUSES, `must be one of ${RUN_STATUSES.join(', ')}`)
      .optional()
      .describe('Only these.'),
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MAX_ROWS, `must be at most ${MAX_ROWS}`)
      .default(20),
    cursor: cursorField(),
  })

const pageOf = <Run extends z.ZodType>(run: Run) =>
  z.strictObject({
    runs: z.array(run),
    next: z.string().optional().describe('The cursor of the next page.'),
  })

export const listRuns = operation({
  name: 'list_runs',
  route: 'GET /runs',
  tool: 'list_runs',
  title: 'List runs',
  description:
    'The caller’s runs, newest first. A page may have fewer rows than `limit`; `next` is present while there are more.',
  scopes: ['execute'],
  hints: READS_ONLY,
  needs: 'runs',
  input,
  output: () => pageOf(runState()),

  async run(ctx, { status, limit, cursor }) {
    if (cursor !== undefined && !isRunId(cursor)) {
      throw new AppError('invalid_request', 'cursor: must be next from an earlier response')
    }
    const runs: RunState[] = []
    let last: string | undefined
    let read = 0
    for await (const ids of pagesOfIds(ctx, cursor)) {
      const found = await Promise.all(ids.map((id) => findState(ctx, id, status)))
      for (const [at, state] of found.entries()) {
        if (runs.length === limit || read++ === MAX_READ) return { runs, next: last }
        last = ids[at]
        if (state) runs.push(state)
      }
    }
    return { runs }
  },

  forModels: {
    description: 'Background runs of the user, newest first.',
    maxima: { limit: 50 },
    output: () => pageOf(runReference()),
  },
})

async function* pagesOfIds(
  ctx: RequestContext,
  cursor: string | undefined,
): AsyncGenerator<readonly string[]> {
  const place = await runPlace(areaOwner(ctx.caller))
  let ids: string[] = []
  for await (const id of listRunIds(ctx.service, place, cursor, requestEnding(ctx))) {
    ids.push(id)
    if (ids.length < READ_AT_ONCE) continue
    yield ids
    ids = []
  }
  yield ids
}

async function findState(
  ctx: RequestContext,
  id: string,
  status: RunStatus | undefined,
): Promise<RunState | null> {
  const { service, caller } = ctx
  const store = await RunStore.of(service, caller, id, requestEnding(ctx))
  const found = await store.load()
  if (!found || !isWithin(found.record.caller, caller, service.config)) return null
  const { record } = await settleRun(service, store, found)
  return status === undefined || record.status === status ? stateOf(record) : null
}
