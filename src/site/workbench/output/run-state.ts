/** The last run: its state, status and cost. */
import type { RunAnswer, RunFile, Stats } from '../service/run-script.ts'
import type { Failure } from '../service/client.ts'
import { el, fill, type Cell } from '../page/dom.ts'
import { countOf, formatBytes, formatLarge, formatMs } from '../page/format.ts'

export type LastRun =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly files: readonly RunFile[] }
  /** Finished, with or without a script error. */
  | { readonly phase: 'ended'; readonly answer: RunAnswer; readonly stats?: Stats | undefined }
  | { readonly phase: 'stopped'; readonly files: readonly RunFile[] }
  /** No answer. */
  | { readonly phase: 'failed'; readonly failure: Failure; readonly files: readonly RunFile[] }

export function filesOf(state: LastRun): readonly RunFile[] {
  if (state.phase === 'idle') return []
  return state.phase === 'ended' ? state.answer.files_touched : state.files
}

/** A changed file is reported again. */
export function withFile(files: readonly RunFile[], row: RunFile): RunFile[] {
  return [...files.filter(({ name }) => name !== row.name), row].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

export function statusLine(run: Cell<LastRun>): HTMLElement {
  const words = el('p', { class: 'status', role: 'status', 'aria-live': 'polite' })
  const costs = el('dl', { class: 'costs', 'aria-label': 'Cost of the last run' })
  run.watch((state) => {
    words.dataset.phase = toneOf(state)
    words.textContent = statusText(state)
    fill(costs, ...costsOf(state.phase === 'ended' ? state.stats : undefined))
  })
  return el('div', { class: 'status-line' }, words, costs)
}

function toneOf(state: LastRun): string {
  if (state.phase === 'ended') return state.answer.error ? 'bad' : 'good'
  return state.phase === 'failed' ? 'bad' : state.phase
}

export function statusText(state: LastRun): string {
  switch (state.phase) {
    case 'idle':
      return 'Not run yet'
    case 'running':
      return 'Running…'
    case 'stopped':
      return 'Stopped'
    case 'failed':
      return 'Did not finish'
    case 'ended': {
      const { error, files_touched: files } = state.answer
      if (error) return error.line ? `Failed in line ${error.line}` : 'Failed'
      return files.length === 0 ? 'Done' : `Done, ${countOf(files.length, 'file')}`
    }
  }
}

/** Always three items, so that nothing moves. */
function costsOf(stats: Stats | undefined): HTMLElement[] {
  const none = '–'
  const costs = {
    time: stats ? formatMs(stats.ms) : none,
    fuel: stats ? formatLarge(stats.fuel) : none,
    memory: stats?.memory_bytes ? formatBytes(stats.memory_bytes) : none,
  }
  return Object.entries(costs).map(([name, value]) =>
    el('div', {}, el('dt', {}, name), el('dd', {}, value)),
  )
}
