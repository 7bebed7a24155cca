/** What is stored of a run: its record, and its answer without links. */
import type { Caller, Scope } from '../../../caller.ts'
import type { ExecuteInput, ExecuteStats } from '../../run/execute-script.ts'
import type { ExecuteAnswer, RecordedRow } from '../../run/run-answer.ts'

export const RUN_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'lost',
] as const

export type RunStatus = (typeof RUN_STATUSES)[number]

/** Whose files and rights; never a token. */
export interface RecordedCaller extends Omit<Caller, 'scopes'> {
  readonly scopes: readonly Scope[]
}

/** Times are epoch milliseconds of the process that wrote them. */
export interface RunRecord {
  readonly id: string
  readonly caller: RecordedCaller
  readonly requestId: string
  /** For links that the script makes itself. */
  readonly baseUrl: string
  readonly linkTtlS?: number | undefined
  /** May run again if its process dies. */
  readonly retry?: boolean | undefined
  /** Where to send a message at the end. */
  readonly notify?: string | undefined
  readonly status: RunStatus
  readonly createdAt: number
  /** Later than the creation if it runs again. */
  readonly queuedAt: number
  readonly startedAt?: number | undefined
  readonly endedAt?: number | undefined
  /** How often it was started. */
  readonly attempts: number
  /** The process that runs it, while it does. */
  readonly lease?: RunLease | undefined
  /** A caller wants it to end. */
  readonly isCancelling?: true | undefined
  readonly logLines: number
  /** Which of the stored answers counts: that of a process presumed dead may follow. */
  readonly answer?: string | undefined
}

interface RunLease {
  /** Random, made by each claim. */
  readonly by: string
  readonly until: number
}

/** The caller's credentials are never stored. */
export type RecordedInput = Omit<ExecuteInput, 'callerAuth' | 'ref'>

export interface RecordedAnswer extends Omit<ExecuteAnswer, 'files_touched'> {
  readonly files_touched: readonly RecordedRow[]
  /** Absent if its process died. */
  readonly stats?: ExecuteStats | undefined
}

/** Of the event stream, in order of occurrence. */
export type RecordedEvent = readonly ['log', line: string] | readonly ['file', row: RecordedRow]

export function isOver({ status }: Pick<RunRecord, 'status'>): boolean {
  return status !== 'queued' && status !== 'running'
}

/** Without `admin`, which no script uses: others of the area may see the run. */
export function recordCaller({ scopes, ...caller }: Caller): RecordedCaller {
  return { ...caller, scopes: [...scopes].filter((scope) => scope !== 'admin') }
}

export function callerOf({ scopes, ...caller }: RecordedCaller): Caller {
  return { ...caller, scopes: new Set(scopes) }
}

/** A run that ended by itself was not cancelled, whatever its callers wanted. */
export function statusOf(
  { error }: Pick<RecordedAnswer, 'error'>,
  isCancelling: boolean,
): 'succeeded' | 'failed' | 'cancelled' {
  if (!error) return 'succeeded'
  return isCancelling ? 'cancelled' : 'failed'
}
