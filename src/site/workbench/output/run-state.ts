/** What is known of the last run. */
import type { FileRow, RunAnswer } from '../../../operations/run/run-answer.ts'
import type { Stats } from '../service/run-script.ts'
import type { Failure } from '../service/failure.ts'

export type RunState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly files: readonly FileRow[] }
  /** The script came to an end, with or without an error of its own. */
  | { readonly phase: 'ended'; readonly answer: RunAnswer; readonly stats?: Stats | undefined }
  | { readonly phase: 'stopped'; readonly files: readonly FileRow[] }
  /** There is no answer. */
  | { readonly phase: 'failed'; readonly failure: Failure; readonly files: readonly FileRow[] }

export function filesOf(state: RunState): readonly FileRow[] {
  if (state.phase === 'idle') return []
  return state.phase === 'ended' ? state.answer.files_touched : state.files
}

/** A file is told again when it changes. */
export function withFile(files: readonly FileRow[], row: FileRow): FileRow[] {
  return [...files.filter(({ name }) => name !== row.name), row].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}
