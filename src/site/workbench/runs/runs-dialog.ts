/** Lists the background runs of the caller; one of them can be shown or stopped. */
import type { RunHistory } from '../history/run-history.ts'
import { firstLines } from '../history/history-dialog.ts'
import { button, el, fill } from '../page/dom.ts'
import { formatElapsed, formatWhen } from '../page/format.ts'
import { failureNote, failureOf, openDialog } from '../page/notes.ts'
import { isUnderWay, listRuns, type BackgroundRun } from '../service/background-runs.ts'
import type { Client } from '../service/client.ts'

interface RunsOptions {
  readonly client: Client
  readonly history: Pick<RunHistory, 'scriptOf'>
  /** Shows a run in the output. */
  open(id: string): void
  /** `false` if it was not stopped. @throws {RequestFailed} */
  stop(id: string): Promise<boolean>
}

const REFRESH_MS = 3000
const TICK_MS = 1000

export function openRuns(options: RunsOptions): void {
  const { client } = options
  const list = el('ul', { class: 'runs' })
  const problem = el('div', {})
  const note = el('p', { class: 'empty', role: 'status' }, 'Loading…')
  const more = button('Show more', () => void load(cursor), { class: 'quiet', hidden: true })
  const close = button('Close', () => dialog.close(), { class: 'quiet', autofocus: true })
  const rows = new Map<string, ReturnType<typeof runRow>>()
  let cursor: string | undefined
  let refreshing = 0
  const ticking = window.setInterval(() => rows.forEach((row) => row.tick()), TICK_MS)

  /** @param from Adds the page there; otherwise the first page is read again. */
  async function load(from?: string): Promise<void> {
    clearTimeout(refreshing)
    try {
      const page = await listRuns(client, from)
      if (from || rows.size === 0) cursor = page.next
      draw(page.runs)
      fill(problem)
    } catch (error) {
      note.hidden = true
      fill(problem, failureNote(failureOf(error)))
    }
    const isLive = [...rows.values()].some((row) => row.isUnderWay())
    if (isLive) refreshing = window.setTimeout(() => void load(), REFRESH_MS)
  }

  function draw(runs: readonly BackgroundRun[]): void {
    const added = runs.filter((run) => {
      const row = rows.get(run.id)
      row?.update(run)
      return row === undefined
    })
    for (const run of added) rows.set(run.id, runRow(run, actions))
    const ids = [...rows.keys()].sort()
    // From the oldest, which ids sort last. Rows that are there stay: one may have the focus.
    for (const { id } of added.toReversed()) {
      const older = rows.get(ids[ids.indexOf(id) + 1] ?? '')
      list.insertBefore(rows.get(id)!.element, older?.element ?? null)
    }
    more.hidden = cursor === undefined
    note.hidden = rows.size > 0
    note.textContent = 'Runs that you or your agents start in the background appear here.'
  }

  const actions = {
    scriptOf: options.history.scriptOf,
    open(id: string) {
      dialog.close()
      options.open(id)
    },
    async stop(id: string) {
      try {
        if (await options.stop(id)) await load()
      } catch (error) {
        fill(problem, failureNote(failureOf(error)))
      }
    },
  }

  const head = el(
    'div',
    { class: 'preview-head' },
    el('h2', {}, 'Background runs'),
    el('span', { class: 'note-line' }, 'They go on when you close this page.'),
    el('div', { class: 'actions' }, close),
  )
  const dialog = openDialog(
    {
      style: 'preview history',
      label: 'Background runs',
      onClose() {
        clearTimeout(refreshing)
        clearInterval(ticking)
      },
    },
    head,
    el('div', { class: 'preview-body' }, problem, note, list, more),
  )
  void load()
}

interface RowActions {
  scriptOf(id: string): string | undefined
  open(id: string): void
  stop(id: string): Promise<void>
}

const WORDS: Readonly<Record<BackgroundRun['status'], string>> = {
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Done',
  failed: 'Failed',
  cancelled: 'Stopped',
  lost: 'Lost',
}

const TONES: Partial<Record<BackgroundRun['status'], string>> = {
  running: 'running',
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
}

function runRow(first: BackgroundRun, { scriptOf, open, stop }: RowActions) {
  let run = first
  const { id, created_at: at } = first
  const script = scriptOf(id)
  const status = el('span', { class: 'status' })
  const elapsed = el('span', { class: 'elapsed' })
  const age = el('time', { datetime: at, title: new Date(at).toLocaleString() })
  const name = script === undefined ? id : firstLines(script)
  const stopping = button('Stop', () => void stop(id), {
    class: 'quiet',
    'aria-label': `Stop the run ${id}`,
  })
  const opener = el(
    'button',
    { type: 'button', on: { click: () => open(id) } },
    el('code', {}, name),
    status,
    elapsed,
    age,
  )

  function tick(): void {
    elapsed.textContent = elapsedText(run)
    age.textContent = formatWhen(new Date(at), new Date())
  }

  function update(next: BackgroundRun): void {
    run = next
    status.textContent = WORDS[run.status]
    status.dataset.phase = TONES[run.status] ?? ''
    // Its place stays; the focus goes on to the row.
    if (!isUnderWay(run) && document.activeElement === stopping) opener.focus()
    stopping.disabled = !isUnderWay(run)
    tick()
  }

  update(first)
  return {
    element: el('li', {}, opener, stopping),
    update,
    tick,
    isUnderWay: () => isUnderWay(run),
  }
}

function elapsedText({ started_at: start, ended_at: end }: BackgroundRun): string {
  if (!start) return '–'
  const endMs = end ? Date.parse(end) : Date.now()
  return formatElapsed(Math.max(0, endMs - Date.parse(start)))
}
