/** The events of a run, stored ones first: `GET /runs/<id>/events`. */
import * as z from 'zod'
import { pause } from '../../lib/abort.ts'
import { jsonText, RawJson } from '../../lib/json/raw-json.ts'
import { operation, READS_ONLY, type StreamedEvent } from '../operation.ts'
import type { ExecuteStats } from '../run/execute-script.ts'
import type { RequestContext } from '../service.ts'
import {
  answerOf,
  loadRun,
  openRun,
  rowLinker,
  runIdField,
  stateOf,
  withLinks,
  type OpenedRun,
} from './read-run.ts'
import { isOver, type RecordedEvent } from './record/run-record.ts'

const LOOK_MS = 1_000
/** Clients go on with `Last-Event-ID`; some platforms end longer responses. */
const MAX_LOOKS = 300

/** Of the result, after which nothing follows. */
const END = 'end'

/** Where an event is: the part of the log, and its number in it. */
interface Position {
  readonly part: number
  readonly event: number
}

const START: Position = { part: 0, event: 0 }

export const watchRun = operation({
  name: 'watch_run',
  route: 'GET /runs/{id}/events',
  title: 'Watch a run',
  description:
    'The events of a run, from its beginning: `log`, `file`, `result` and `stats` as for `/execute/events`, or `state` instead of `result` if it ended without an answer. With `Last-Event-ID`, it resumes after that event. A stream ends after five minutes if the run has not; 204 means that all events have been sent.',
  scopes: ['execute'],
  hints: READS_ONLY,
  needs: 'runs',
  headers: () =>
    z.object({
      'Last-Event-ID': z.string().optional().describe('The id of the last event received.'),
    }),
  streams: true,
  input: () => z.strictObject({ id: runIdField() }),
  output: () => z.custom<AsyncIterable<StreamedEvent> | null>(),

  async run(ctx, { id }) {
    const run = await openRun(ctx, id)
    const last = parseEventId(id, ctx.headers?.get('Last-Event-ID'))
    return last === END ? null : follow(ctx, run, last)
  },
})

/** An id of another run, or of none, counts as none. */
function parseEventId(id: string, text: string | null | undefined): Position | typeof END {
  const [, run, part, event] = /^([0-9a-f]{6})-(?:(\d{1,6})\.(\d{1,7})|end)$/.exec(text ?? '') ?? []
  if (run !== tagOf(id)) return START
  return part === undefined ? END : { part: Number(part), event: Number(event) + 1 }
}

/** Its random end: ids of events must not be taken for those of another run. */
function tagOf(id: string): string {
  return id.slice(-6)
}

async function* follow(
  ctx: RequestContext,
  opened: OpenedRun,
  from: Position,
): AsyncGenerator<StreamedEvent> {
  const { store } = opened
  const { stopping } = ctx.service
  const tag = tagOf(store.id)
  const show = await eventShower(ctx, opened)
  let run = opened
  let { part, event } = await existing(run, from)
  for (let looks = 0; ;) {
    const events = await store.getLog(part)
    if (events) {
      for (; event < events.length; event++) {
        yield { id: `${tag}-${part}.${event}`, ...(await show(events[event]!)) }
      }
      part++
      event = 0
      continue
    }
    // All parts are stored before the record says that it is over.
    if (isOver(run.record)) return yield* endOf(ctx, run, `${tag}-${END}`)
    if (looks++ === MAX_LOOKS || stopping?.aborted) return
    await pause(LOOK_MS, ctx.signal)
    run = await loadRun(ctx, store)
  }
}

/** A position that the log does not have is made up. */
async function existing({ store }: OpenedRun, from: Position): Promise<Position> {
  if (from === START) return START
  const events = await store.getLog(from.part)
  return events && from.event <= events.length ? from : START
}

async function eventShower(ctx: RequestContext, { record }: OpenedRun) {
  const linked = await rowLinker(ctx, record)
  const mayRead = ctx.caller.scopes.has('files:read')
  return async ([kind, data]: RecordedEvent): Promise<Omit<StreamedEvent, 'id'>> => {
    if (kind === 'log') return { name: 'log', data: JSON.stringify({ line: data }) }
    const { writeId: _, ...row } = data
    return { name: 'file', data: JSON.stringify(mayRead ? await linked(data) : row) }
  }
}

async function* endOf(
  ctx: RequestContext,
  run: OpenedRun,
  id: string,
): AsyncGenerator<StreamedEvent> {
  const recorded = await answerOf(run)
  if (!recorded) return yield { id, name: 'state', data: JSON.stringify(stateOf(run.record)) }
  const { resultJson, logs_file: _, ...answer } = await withLinks(ctx, run.record, recorded)
  yield { id, name: 'result', data: jsonText({ result: new RawJson(resultJson), ...answer }) }
  if (recorded.stats) yield { name: 'stats', data: statsJson(recorded.stats) }
}

/** The event `stats`. */
export function statsJson({ fuelUsed, memoryBytes, timing }: ExecuteStats): string {
  const ms = Math.round(Object.values(timing).reduce((sum, part) => sum + part, 0))
  return JSON.stringify({ fuel: fuelUsed, ms, memory_bytes: memoryBytes })
}
