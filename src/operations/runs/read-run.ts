/** Finds a run for a caller, and shows it with the caller's own rights. */
import * as z from 'zod'
import type { Caller } from '../../caller.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { parseFolder } from '../../files/path.ts'
import { openArea } from '../../files/store/area.ts'
import { anySignal, type Ending } from '../../lib/abort.ts'
import { once } from '../../lib/once.ts'
import { textField } from '../fields.ts'
import { linkMaker } from '../links/file-links.ts'
import type { ExecuteAnswer, FileRow, RecordedRow } from '../run/run-answer.ts'
import { areaLayout, areaOwner, type RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { isRunId } from './record/run-id.ts'
import {
  RUN_STATUSES,
  type RecordedAnswer,
  type RecordedCaller,
  type RunRecord,
} from './record/run-record.ts'
import { RunStore, type FoundRun } from './record/run-store.ts'
import { settleRun } from './settle-run.ts'

export const runIdField = () => textField().describe('The id of the run.')

const time = () => z.string().nullable()

export const runState = once(() =>
  z.strictObject({
    id: z.string(),
    status: z.enum(RUN_STATUSES),
    created_at: z.string(),
    started_at: time().describe('null until it starts.'),
    ended_at: time().describe('null until it ends.'),
    log_lines: z.int().describe('Lines logged; may lag.'),
  }),
)

/** What a model needs of it to go on; `get_run` describes the rest. */
export const runReference = once(() =>
  z.looseObject({ ...runState().pick({ id: true, status: true }).shape }),
)

export type RunState = Readonly<z.output<ReturnType<typeof runState>>>

/** A run and the objects that belong to it. */
export interface OpenedRun extends FoundRun {
  readonly store: RunStore
}

/** The same for a run of another user, tenant or token, so that ids reveal nothing. */
function noSuchRun(): AppError {
  return new AppError('not_found', 'There is no such run.')
}

/** @throws {AppError} `not_found`, `storage_unavailable` */
export async function openRun(ctx: RequestContext, id: string): Promise<OpenedRun> {
  if (!isRunId(id)) throw noSuchRun()
  const store = await RunStore.of(ctx.service, ctx.caller, id, requestEnding(ctx))
  return loadRun(ctx, store)
}

/** As it is now. @throws {AppError} as {@link openRun}. */
export async function loadRun(ctx: RequestContext, store: RunStore): Promise<OpenedRun> {
  const found = await store.load()
  if (!found || !isWithin(found.record.caller, ctx.caller, ctx.service.config)) throw noSuchRun()
  return { ...(await settleRun(ctx.service, store, found)), store }
}

/** Times out a store that does not respond. One per read: some callers poll for minutes. */
export function requestEnding({ service, signal }: RequestContext): Ending {
  return {
    get signal() {
      return anySignal(AbortSignal.timeout(service.config.limits.runMs), signal)
    },
  }
}

/** Whether a caller has all the rights that a run has. The area is the same already. */
export function isWithin(
  run: RecordedCaller,
  { scopes, paths }: Pick<Caller, 'scopes' | 'paths'>,
  config: Config,
): boolean {
  if (!run.scopes.every((scope) => scopes.has(scope))) return false
  if (paths === undefined) return true
  const rules = { allowed: [paths], sharedDir: config.sharedDir }
  const isBelow = (path: string) => paths.includes(path) || isAllowed(path, rules)
  return run.paths?.every(isBelow) ?? false
}

function isAllowed(path: string, rules: Parameters<typeof parseFolder>[1]): boolean {
  try {
    parseFolder(path, rules)
    return true
  } catch {
    return false
  }
}

export function stateOf(record: RunRecord): RunState {
  const { id, status, createdAt, startedAt, endedAt, logLines } = record
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : timestamp(new Date(ms)))
  return {
    id,
    status,
    created_at: timestamp(new Date(createdAt)),
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
    log_lines: logLines,
  }
}

/** `null` if it never started, or has not ended yet. */
export async function answerOf({ record, store }: OpenedRun): Promise<RecordedAnswer | null> {
  return record.answer === undefined ? null : store.getAnswer(record.answer)
}

/** Makes the links of a run's files, with the reader's rights. */
export async function rowLinker(
  ctx: RequestContext,
  { linkTtlS }: Pick<RunRecord, 'linkTtlS'>,
): Promise<(row: RecordedRow) => Promise<FileRow>> {
  const area = await openArea(areaOwner(ctx.caller), areaLayout(ctx.service.config))
  const links = linkMaker(ctx, area, linkTtlS)
  // The name was a valid path when the run wrote it.
  return ({ writeId, ...row }) =>
    links.rowWithLinks(row as Parameters<typeof links.rowWithLinks>[0], writeId)
}

export async function withLinks(
  ctx: RequestContext,
  record: Pick<RunRecord, 'linkTtlS'>,
  recorded: RecordedAnswer,
): Promise<ExecuteAnswer> {
  const { stats: _, ...answer } = recorded
  const linked = await rowLinker(ctx, record)
  return { ...answer, files_touched: await Promise.all(answer.files_touched.map(linked)) }
}
