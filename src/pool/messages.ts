/** What the pool and its threads say to each other. A thread has one run at a time, so nothing names its run. */
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { ErrorCode } from '../errors.ts'
import type { ExecuteInput, Executed } from '../operations/run/execute-script.ts'
import type { FileRow } from '../operations/run/run-answer.ts'
import type { LogEvent } from '../operations/log-event.ts'

/** What a thread is made with; the module is compiled already, and its code is shared. */
export interface RunnerData {
  readonly config: Config
  readonly lua: WebAssembly.Module
}

/** One run: what of a request can be copied. */
export interface RunRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly baseUrl: string
  readonly input: ExecuteInput
  /** Milliseconds of the clock when the caller asked: waiting for a thread is part of the run. */
  readonly askedAt: number
}

/** To a thread. `leave` says that the caller has gone. */
export type ToRunner =
  { readonly type: 'run'; readonly request: RunRequest } | { readonly type: 'leave' }

/** From a thread while it runs a script, in the order in which things happen. */
export type RunNews =
  | { readonly type: 'admitted' }
  | { readonly type: 'logs'; readonly lines: readonly string[] }
  | { readonly type: 'file'; readonly row: FileRow }

/** The last word of a run; after it the thread is free. */
export type RunEnd =
  /** Logs that were told line by line may be a million: they are left out of the answer. */
  | { readonly type: 'done'; readonly executed: Executed; readonly areLogsTold: boolean }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** A defect of ours, described for the log. */
  | { readonly type: 'failed'; readonly fault: string }

/** From a thread at any time. */
export type FromRunner = RunNews | RunEnd | { readonly type: 'event'; readonly event: LogEvent }
