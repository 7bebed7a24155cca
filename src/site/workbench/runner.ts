/** Starts and stops runs, and updates the panels' state. */
import type { ArgsField } from './editor/script-panel.ts'
import type { Editor } from './editor/editor.ts'
import type { LogView } from './output/log-view.ts'
import { filesOf, withFile, type LastRun } from './output/run-state.ts'
import type { Cell } from './page/dom.ts'
import { failureOf } from './page/notes.ts'
import type { Client } from './service/client.ts'
import { requestRun, type RunFile } from './service/run-script.ts'

export interface RunnerParts {
  readonly client: Client
  readonly run: Cell<LastRun>
  readonly log: LogView
  readonly editor: Editor
  readonly args: ArgsField
  /** Focuses the token field. */
  needToken(): void
}

export function runner({ client, run, log, editor, args, needToken }: RunnerParts) {
  let stopping = new AbortController()

  async function start(): Promise<void> {
    if (run.get().phase === 'running' || !args.isValid()) return
    stopping = new AbortController()
    log.clear()
    editor.mark(null)
    run.set({ phase: 'running', files: [] })
    const watcher = {
      onLogs: log.add,
      onFile: (row: RunFile) =>
        run.set({ phase: 'running', files: withFile(filesOf(run.get()), row) }),
    }
    const input = { script: editor.text(), args: args.text() }
    try {
      const { answer, stats } = await requestRun(client, input, watcher, stopping.signal)
      log.finish(answer.logs)
      if (answer.error?.line !== undefined && editor.text() === input.script) {
        editor.mark(answer.error.line)
      }
      run.set({ phase: 'ended', answer, stats })
    } catch (error) {
      const files = filesOf(run.get())
      if (stopping.signal.aborted) return run.set({ phase: 'stopped', files })
      const failure = failureOf(error)
      run.set({ phase: 'failed', failure, files })
      if (failure.needsToken) needToken()
    }
  }

  return { start, stop: () => stopping.abort() }
}
