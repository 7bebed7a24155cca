/** Types of runs, from those of the requests. */
import type { RouteCalls } from './routes.ts'
import type { CallOptions } from './send.ts'

type Own = RouteCalls['own']

/** What a script returned, printed and stored; `error` if it failed. */
export type RunAnswer<Result = unknown> = Omit<Awaited<ReturnType<Own['execute']>>, 'result'> & {
  result: Result
}

/** A row of `files_touched`. */
export type FileRow = RunAnswer['files_touched'][number]

export type RunState = Awaited<ReturnType<Own['start']>>['run']

/** A run that is over has its answer, unless nothing is left of it. */
export type RunRecord = Awaited<ReturnType<RouteCalls['runs']['get']>>

type ExecuteInput = Parameters<Own['execute']>[0]

interface ArgsJson {
  /** Instead of `args`: JSON that is sent as written, which keeps large numbers exact. */
  readonly argsJson?: string | undefined
}

/** Fields of the request besides the script. */
export type RunOptions = Omit<ExecuteInput, 'script' | 'background' | 'notify' | 'retry'> &
  ArgsJson &
  CallOptions

export type BackgroundOptions = Omit<Parameters<Own['start']>[0], 'script'> & ArgsJson & CallOptions

export interface RunStats {
  readonly fuel: number
  readonly ms: number
  readonly memory_bytes?: number
}

/** The last one is `answer`; or `ended`, for a run of which no answer is left. */
export type RunEvent =
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'file'; readonly file: FileRow }
  | { readonly type: 'answer'; readonly answer: RunAnswer; readonly stats?: RunStats | undefined }
  | { readonly type: 'ended'; readonly run: RunState }
