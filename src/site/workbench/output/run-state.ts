/** State of the last run. */
import type { RunAnswer, RunFile, Stats } from '../service/run-script.ts'
import type { Failure } from '../service/failure.ts'

export type RunState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly files: readonly RunFile[] }
  /** Finished, with or without a script error. */
  | { readonly phase: 'ended'; readonly answer: RunAnswer; readonly stats?: Stats | undefined }
  | { readonly phase: 'stopped'; readonly files: readonly RunFile[] }
  /** No answer. */
  | { readonly phase: 'failed'; readonly failure: Failure; readonly files: readonly RunFile[] }

export function filesOf(state: RunState): readonly RunFile[] {
  if (state.phase === 'idle') return []
  return state.phase === 'ended' ? state.answer.files_touched : state.files
}

/** A changed file is reported again. */
export function withFile(files: readonly RunFile[], row: RunFile): RunFile[] {
  return [...files.filter(({ name }) => name !== row.name), row].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}
