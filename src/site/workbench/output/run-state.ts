/** The last run: its state, status and cost. */
import type { RunAnswer, RunFile, Stats } from '../service/run-script.ts'
import type { Failure } from '../service/client.ts'
import { el, fill, type Cell } from '../page/dom.ts'
import { countOf, formatBytes, formatLarge, formatMs } from '../page/format.ts'

export type LastRun =
  | { readonly phase: 'idle' }
  /** `startedAt` by the page's clock. */
  | {
      readonly phase: 'running'
      readonly startedAt: number
      readonly files: readonly RunFile[]
      /** Of a run that goes on without the page. */
      readonly background?: keyof typeof BACKGROUND_WORDS | undefined
    }
  /** Finished, with or without a script error. */
  | { readonly phase: 'ended'; readonly answer: RunAnswer; readonly stats?: Stats | undefined }
  | { readonly phase: 'stopped'; readonly files: readonly RunFile[] }
  /** No answer. */
  | { readonly phase: 'failed'; readonly failure: Failure; readonly files: readonly RunFile[] }

const BACKGROUND_WORDS = {
  starting: 'Starting…',
  opening: 'Opening…',
  queued: 'Waiting to start…',
  running: 'In background…',
  broken: 'Reconnecting…',
}

/** Whether another run would end this one, or start it twice. */
export function isBusy(state: LastRun): boolean {
  return state.phase === 'running' && (state.background ?? 'starting') === 'starting'
}

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

const TICK_MS = 100

/** Its parts keep their places, so that nothing moves when a run starts or ends. */
export function statusLine(run: Cell<LastRun>): HTMLElement {
  const words = el('p', { class: 'status', role: 'status', 'aria-live': 'polite' })
  const costs = el('dl', { class: 'costs', 'aria-label': 'Cost of the last run' })
  let ticking = 0
  run.watch((state) => {
    words.dataset.phase = toneOf(state)
    words.textContent = statusText(state)
    clearInterval(ticking)
    fill(costs, ...costsOf(state))
    if (state.phase !== 'running') return
    const time = costs.querySelector('dd')!
    const tick = () => (time.textContent = elapsedText(performance.now() - state.startedAt))
    tick()
    ticking = window.setInterval(tick, TICK_MS)
  })
  return el('div', { class: 'status-line' }, words, costs)
}

/** Tenths of a second: more would flicker. */
function elapsedText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function toneOf(state: LastRun): string {
  if (isBad(state)) return 'bad'
  return state.phase === 'ended' ? 'good' : state.phase
}

export function isBad(state: LastRun): boolean {
  return state.phase === 'failed' || (state.phase === 'ended' && state.answer.error !== undefined)
}

export function statusText(state: LastRun): string {
  switch (state.phase) {
    case 'idle':
      return 'Not run yet'
    case 'running':
      return state.background ? BACKGROUND_WORDS[state.background] : 'Running…'
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
function costsOf(state: LastRun): HTMLElement[] {
  const stats = state.phase === 'ended' ? state.stats : undefined
  const none = '–'
  const costs = {
    time: stats ? formatMs(stats.ms) : none,
    fuel: stats ? formatLarge(stats.fuel) : none,
    memory: stats?.memory_bytes ? formatBytes(stats.memory_bytes) : none,
  }
  return Object.entries(costs).map(([name, value]) =>
    // Seconds need no name for those who see them.
    el('div', {}, el('dt', { class: name === 'time' && 'spoken' }, name), el('dd', {}, value)),
  )
}
