/** Messages between the pool and its threads. A thread has one run at a time, so none names it. */
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { ErrorCode } from '../errors.ts'
import type { Executed, ExecuteInput } from '../operations/run/execute-script.ts'
import type { FileRow } from '../operations/run/run-answer.ts'
import type { LogEvent } from '../operations/log-event.ts'
import type { StoreSample } from '../storage/timed.ts'

/** The compiled module is shared between threads. */
export interface RunnerData {
  readonly config: Config
  readonly lua: WebAssembly.Module
}

/** The serialisable part of a request. */
export interface RunRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly baseUrl: string
  readonly input: ExecuteInput
  /** Epoch milliseconds: waiting for a thread counts towards the run. */
  readonly askedAt: number
}

/** `leave`: the caller has disconnected. */
export type ToRunner =
  { readonly type: 'run'; readonly request: RunRequest } | { readonly type: 'leave' }

/** In order of occurrence. */
export type ProgressMessage =
  | { readonly type: 'admitted' }
  | { readonly type: 'logs'; readonly lines: readonly string[] }
  | { readonly type: 'file'; readonly row: FileRow }

/** Ends a run; the thread is then free. */
export type RunEnd =
  /** Logs already relayed line by line are left out of the answer: they may be a million. */
  | { readonly type: 'done'; readonly executed: Executed; readonly areLogsRelayed: boolean }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** An internal error, described for the log. */
  | { readonly type: 'failed'; readonly fault: string }

/** Not part of a run's own events. */
type Observation =
  | { readonly type: 'event'; readonly event: LogEvent }
  | { readonly type: 'store'; readonly samples: readonly StoreSample[] }

export type FromRunner = ProgressMessage | RunEnd | Observation
