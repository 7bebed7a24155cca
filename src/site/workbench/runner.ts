/** Starts, shows and stops runs, and updates the panels' state. */
import type { ArgsField } from './editor/script-panel.ts'
import type { Editor } from './editor/editor.ts'
import type { LogView } from './output/log-view.ts'
import { filesOf, isBad, isBusy, statusText, withFile, type LastRun } from './output/run-state.ts'
import type { RunHistory } from './history/run-history.ts'
import type { Cell } from './page/dom.ts'
import { confirmed, failureLine, failureOf } from './page/notes.ts'
import { keepShownRun } from './runs/shown-run.ts'
import { followRun, startRun, stopRun, type BackgroundRun } from './service/background-runs.ts'
import { LOST, RequestFailed, type Client } from './service/client.ts'
import {
  requestRun,
  type RunAnswer,
  type RunFile,
  type RunInput,
  type SavedInput,
  type Stats,
} from './service/run-script.ts'

export interface RunnerParts {
  readonly client: Client
  readonly run: Cell<LastRun>
  readonly log: LogView
  readonly editor: Editor
  readonly args: ArgsField
  readonly history: RunHistory
  /** Before anything is sent. */
  onStart(): void
  /** Shows a sentence beside the script. */
  tell(text: string): void
}

const BUSY = 'A run is under way here: wait for it, or stop it first.'

/** One run is shown at a time; showing another leaves a background run going on. */
export function runner(parts: RunnerParts) {
  const { client, run, log, editor, args, history, onStart, tell } = parts
  let leaving = new AbortController()
  /** The background run that is shown. */
  let shownId: string | null = null

  function clear(): AbortSignal {
    leaving.abort()
    leaving = new AbortController()
    show(null)
    onStart()
    log.clear()
    editor.mark(null)
    return leaving.signal
  }

  function show(id: string | null): void {
    shownId = id
    keepShownRun(id)
  }

  /** `null` if there is nothing to start. */
  function nextInput(): RunInput | null {
    if (isBusy(run.get()) || !args.isValid()) return null
    return { script: editor.text(), args: args.text() }
  }

  async function start(): Promise<void> {
    const input = nextInput()
    if (!input) return
    const ended = await runNow(input, input.script)
    history.add({ ...input, ...outcomeOf(ended) })
  }

  /** A saved script by its name, whatever the editor has. */
  async function startSaved(input: SavedInput): Promise<void> {
    if (isBusy(run.get())) return tell(BUSY)
    await runNow(input)
  }

  /** @param script Whose lines are marked if it fails and is still there. */
  async function runNow(input: RunInput | SavedInput, script?: string): Promise<LastRun> {
    const signal = clear()
    const startedAt = performance.now()
    run.set({ phase: 'running', startedAt, files: [] })
    const watcher = {
      onLogs: log.add,
      onFile: (row: RunFile) =>
        run.set({ phase: 'running', startedAt, files: withFile(filesOf(run.get()), row) }),
    }
    const ended = await requestRun(client, input, watcher, signal).then(
      ({ answer, stats }) => ending(answer, stats, script),
      (error: unknown) => failed(error, signal),
    )
    run.set(ended)
    return ended
  }

  async function startInBackground(): Promise<void> {
    const input = nextInput()
    if (!input) return
    const signal = clear()
    const startedAt = performance.now()
    run.set({ phase: 'running', startedAt, files: [], background: 'starting' })
    try {
      const { id } = await startRun(client, input)
      history.add({ ...input, outcome: 'In background', isBad: false, run: id })
      await follow(id, signal)
    } catch (error) {
      const ended = failed(error, signal)
      run.set(ended)
      history.add({ ...input, ...outcomeOf(ended) })
    }
  }

  /** Shows a background run: what it has printed so far, and what comes. */
  async function open(id: string): Promise<void> {
    if (isBusy(run.get())) return tell(BUSY)
    const signal = clear()
    const startedAt = performance.now()
    run.set({ phase: 'running', startedAt, files: [], background: 'opening' })
    await follow(id, signal)
  }

  async function follow(id: string, signal: AbortSignal): Promise<void> {
    show(id)
    const update = (change: object) => {
      const state = run.get()
      if (!signal.aborted && state.phase === 'running') run.set({ ...state, ...change })
    }
    const watcher = {
      onLogs: (lines: readonly string[]) => !signal.aborted && log.add(lines),
      onFile: (row: RunFile) => update({ files: withFile(filesOf(run.get()), row) }),
      onRun: ({ status, created_at, started_at }: BackgroundRun) => {
        const runningMs = Date.now() - Date.parse(started_at ?? created_at)
        const startedAt = performance.now() - Math.max(0, runningMs)
        update({ startedAt, background: status === 'queued' ? 'queued' : 'running' })
      },
      onBreak: () => update({ background: 'broken' }),
    }
    const ended = await followRun(client, id, watcher, signal).then(
      ({ run: last, stats }) => endingOf(last, stats),
      (error: unknown) => {
        // Deleted, or of somebody else: a reload shall not ask for it again.
        if (error instanceof RequestFailed && error.status === 404) show(null)
        return failed(error, signal)
      },
    )
    // Another run is shown by now.
    if (signal.aborted) return
    run.set(ended)
    if (ended.phase !== 'failed') history.settle(id, outcomeOf(ended))
  }

  function endingOf({ id, status, answer }: BackgroundRun, stats: Stats | undefined): LastRun {
    const files = answer?.files_touched ?? filesOf(run.get())
    if (answer) log.finish(answer.logs)
    if (status === 'cancelled') return { phase: 'stopped', files }
    if (!answer || status === 'lost') return { phase: 'failed', failure: LOST, files }
    return ending(answer, stats, history.scriptOf(id))
  }

  function ending(
    answer: RunAnswer,
    stats: Stats | undefined,
    script: string | undefined,
  ): LastRun {
    log.finish(answer.logs)
    const { line, message } = answer.error ?? {}
    if (line !== undefined && editor.text() === script) editor.mark({ line, message: message! })
    return { phase: 'ended', answer, stats }
  }

  function failed(error: unknown, { aborted }: AbortSignal): LastRun {
    const files = filesOf(run.get())
    return aborted
      ? { phase: 'stopped', files }
      : { phase: 'failed', failure: failureOf(error), files }
  }

  /** Of a foreground run at once; of a background run once the service agrees. */
  async function stop(): Promise<void> {
    if (shownId === null) return leaving.abort()
    await stopInBackground(shownId).catch((error: unknown) => tell(failureLine(error)))
  }

  /** `false` if somebody changed their mind. @throws {RequestFailed} */
  async function stopInBackground(id: string): Promise<boolean> {
    const detail = 'Files that it has closed by then stay. It cannot be continued.'
    if (!(await confirmed('Stop this background run?', detail, 'Stop it'))) return false
    await stopRun(client, id)
    return true
  }

  return { start, startSaved, startInBackground, open, stop, stopInBackground }
}

function outcomeOf(state: LastRun) {
  return { outcome: statusText(state), isBad: isBad(state) }
}
