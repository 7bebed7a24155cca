/** The run's status and cost. */
import type { Cell } from '../page/cell.ts'
import { el, fill } from '../page/dom.ts'
import { countOf, formatBytes, formatLarge, formatMs } from '../page/format.ts'
import type { Stats } from '../service/run-script.ts'
import type { RunState } from './run-state.ts'

export function statusLine(run: Cell<RunState>): HTMLElement {
  const words = el('p', { class: 'status', role: 'status', 'aria-live': 'polite' })
  const costs = el('dl', { class: 'costs', 'aria-label': 'Cost of the last run' })
  run.watch((state) => {
    words.dataset.phase = toneOf(state)
    words.textContent = statusText(state)
    fill(costs, ...costsOf(state.phase === 'ended' ? state.stats : undefined))
  })
  return el('div', { class: 'status-line' }, words, costs)
}

function toneOf(state: RunState): string {
  if (state.phase === 'ended') return state.answer.error ? 'bad' : 'good'
  return state.phase === 'failed' ? 'bad' : state.phase
}

export function statusText(state: RunState): string {
  switch (state.phase) {
    case 'idle':
      return 'Not run yet'
    case 'running':
      return 'Running…'
    case 'stopped':
      return 'Stopped'
    case 'failed':
      return 'Did not run to its end'
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
