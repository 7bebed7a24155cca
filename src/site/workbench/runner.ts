/** Starts and stops runs, and updates the panels' state. */
import type { ArgsField } from './editor/script-panel.ts'
import type { Editor } from './editor/editor.ts'
import type { LogView } from './output/log-view.ts'
import { filesOf, isBad, statusText, withFile, type LastRun } from './output/run-state.ts'
import type { RunHistory } from './history/run-history.ts'
import type { Cell } from './page/dom.ts'
import { failureOf } from './page/notes.ts'
import type { Client } from './service/client.ts'
import { requestRun, type RunFile, type RunInput, type RunWatcher } from './service/run-script.ts'

export interface RunnerParts {
  readonly client: Client
  readonly run: Cell<LastRun>
  readonly log: LogView
  readonly editor: Editor
  readonly args: ArgsField
  readonly history: RunHistory
  /** Before anything is sent. */
  onStart(): void
}

export function runner({ client, run, log, editor, args, history, onStart }: RunnerParts) {
  let stopping = new AbortController()

  async function start(): Promise<void> {
    if (run.get().phase === 'running' || !args.isValid()) return
    stopping = new AbortController()
    onStart()
    log.clear()
    editor.mark(null)
    const startedAt = performance.now()
    run.set({ phase: 'running', startedAt, files: [] })
    const watcher = {
      onLogs: log.add,
      onFile: (row: RunFile) =>
        run.set({ phase: 'running', startedAt, files: withFile(filesOf(run.get()), row) }),
    }
    const input = { script: editor.text(), args: args.text() }
    const ended = await outcomeOf(input, watcher)
    run.set(ended)
    history.add({ ...input, outcome: statusText(ended), isBad: isBad(ended) })
  }

  async function outcomeOf(input: RunInput, watcher: RunWatcher): Promise<LastRun> {
    try {
      const { answer, stats } = await requestRun(client, input, watcher, stopping.signal)
      log.finish(answer.logs)
      const { line, message } = answer.error ?? {}
      if (line !== undefined && editor.text() === input.script) {
        editor.mark({ line, message: message! })
      }
      return { phase: 'ended', answer, stats }
    } catch (error) {
      const files = filesOf(run.get())
      if (stopping.signal.aborted) return { phase: 'stopped', files }
      return { phase: 'failed', failure: failureOf(error), files }
    }
  }

  return { start, stop: () => stopping.abort() }
}
