/** Lists the last runs; one of them can be opened again. */
import { button, el, fill } from '../page/dom.ts'
import { countOf, formatWhen } from '../page/format.ts'
import { confirmed, openDialog } from '../page/notes.ts'
import type { PastRun, RunHistory } from './run-history.ts'

/** @param open Replaces the script in the editor. */
export function openHistory(history: RunHistory, open: (run: PastRun) => void): void {
  const body = el('div', { class: 'preview-body' })
  const clear = button('Clear', () => void clearAll(), { class: 'quiet' })
  const close = button('Close', () => dialog.close(), { class: 'quiet', autofocus: true })

  async function clearAll(): Promise<void> {
    const detail = `${countOf(history.runs().length, 'script')} in this browser. This cannot be undone.`
    if (!(await confirmed('Clear the history?', detail, 'Clear'))) return
    history.clear()
    draw()
    close.focus()
  }

  function draw(): void {
    const runs = history.runs()
    clear.hidden = runs.length === 0
    if (runs.length === 0) {
      return fill(body, el('p', { class: 'empty' }, 'Scripts that you run appear here.'))
    }
    const choose = (run: PastRun) => {
      dialog.close()
      open(run)
    }
    fill(body, el('ul', { class: 'past-runs' }, ...runs.map((run) => rowView(run, choose))))
  }

  const head = el(
    'div',
    { class: 'preview-head' },
    el('h2', {}, 'History'),
    el('span', { class: 'note-line' }, 'The last 50 runs of this browser; only kept here.'),
    el('div', { class: 'actions' }, clear, close),
  )
  const dialog = openDialog({ style: 'preview history', label: 'History' }, head, body)
  draw()
}

function rowView(run: PastRun, open: (run: PastRun) => void): HTMLElement {
  const at = new Date(run.at)
  return el(
    'li',
    {},
    el(
      'button',
      { type: 'button', on: { click: () => open(run) } },
      el('code', {}, firstLines(run.script)),
      el('span', { class: run.isBad ? 'outcome-word bad' : 'outcome-word' }, run.outcome),
      el(
        'time',
        { datetime: run.at, title: at.toLocaleString() },
        Number.isNaN(at.getTime()) ? '' : formatWhen(at, new Date()),
      ),
    ),
  )
}

const SHOWN_LINES = 2

/** What tells scripts apart. */
export function firstLines(script: string): string {
  const lines = script.split('\n').filter((line) => line.trim() !== '')
  const shown = lines.slice(0, SHOWN_LINES).join('\n')
  return shown === '' ? '(empty)' : shown.slice(0, 200)
}
