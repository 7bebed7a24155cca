/** What the service writes to its log, one event at a time: never a token, a secret or a script's text. */
import { operatorHint } from '../storage/operator-hint.ts'

/** A run that was admitted, whatever became of it. */
export interface RunEvent {
  readonly event: 'run'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  readonly script_sha256: string
  /** `ok`, or the kind of the script's error. */
  readonly outcome: string
  readonly fuel: number
  readonly ms: number
  /** Of all files the run left changed, as they are stored. */
  readonly bytes: number
  readonly files: number
}

/** A request that was refused to someone. */
export interface DeniedEvent {
  readonly event: 'denied'
  readonly request_id: string
  readonly status: number
  readonly reason: string
  readonly method: string
  readonly route: string
  /** Absent when nobody could be told from the request. */
  readonly tenant?: string | undefined
  readonly user?: string | null | undefined
}

/** Something the operator should know: the caller got a fixed text. */
export interface FaultEvent {
  readonly event: 'fault'
  readonly request_id: string
  readonly where: string
  readonly error: string
  /** Of the script that broke its VM. */
  readonly script_sha256?: string | undefined
  /** What to do about it, where that is known. */
  readonly hint?: string | undefined
}

export type LogEvent = RunEvent | DeniedEvent | FaultEvent

/** An error with its causes, for the log only. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}\ncaused by ${describeFault(error.cause)}`
}

/** @param where What was being done, such as a route. */
export function faultEvent(requestId: string, where: string, error: unknown): FaultEvent {
  const hint = operatorHint(error)
  return {
    event: 'fault',
    request_id: requestId,
    where,
    error: describeFault(error),
    ...(hint && { hint }),
  }
}
