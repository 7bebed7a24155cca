/** Lists the saved scripts; one of them can be run with its arguments, or opened in the editor. */
import { button, el, fill } from '../page/dom.ts'
import { formatWhen } from '../page/format.ts'
import { failureNote, failureOf, openDialog } from '../page/notes.ts'
import type { Client } from '../service/client.ts'
import { listSaved, type SavedScript } from '../service/saved-scripts.ts'
import { argsForm } from './args-form.ts'

interface SavedOptions {
  readonly client: Client
  /** Runs it by its name. @param args JSON, or empty. */
  run(name: string, args: string): void
  /** Puts its text into the editor. @throws {RequestFailed} */
  edit(name: string): Promise<void>
}

const ABOUT = 'Files in scripts/, and those of the team in share/scripts/.'

export function openSaved({ client, run, edit }: SavedOptions): void {
  const list = el('ul', { class: 'past-runs saved' })
  const problem = el('div', {})
  const note = el('p', { class: 'empty', role: 'status' }, 'Loading…')
  const more = button('Show more', () => void load(), { class: 'quiet', hidden: true })
  const title = el('h2', {}, 'Saved scripts')
  const about = el('span', { class: 'note-line' }, ABOUT)
  const back = button('Back', showList, { class: 'quiet', hidden: true })
  const close = button('Close', () => dialog.close(), { class: 'quiet', autofocus: true })
  const body = el('div', { class: 'preview-body' })
  let cursor: string | undefined
  /** Which had the focus before its form was shown. */
  let chosen: HTMLElement | undefined

  async function load(): Promise<void> {
    try {
      const page = await listSaved(client, cursor)
      cursor = page.next
      list.append(...page.scripts.map((script) => rowOf(script, showForm)))
      more.hidden = cursor === undefined
      note.hidden = list.childElementCount > 0
      note.textContent = 'Scripts that you save appear here.'
      fill(problem)
    } catch (error) {
      note.hidden = true
      fill(problem, failureNote(failureOf(error)))
    }
  }

  function showList(): void {
    title.textContent = 'Saved scripts'
    about.textContent = ABOUT
    back.hidden = true
    fill(body, problem, note, list, more)
    chosen?.focus()
  }

  function showForm(script: SavedScript, row: HTMLElement): void {
    chosen = row
    title.textContent = script.name
    about.textContent = script.description
    back.hidden = false
    const failure = el('div', {})
    const open = async () => {
      try {
        await edit(script.name)
        dialog.close()
      } catch (error) {
        fill(failure, failureNote(failureOf(error)))
      }
    }
    const start = (args: string) => {
      dialog.close()
      run(script.name, args)
    }
    const form = formOf(script, start, () => void open())
    fill(body, failure, form)
    form.querySelector<HTMLElement>('input, select, textarea, button:enabled')?.focus()
  }

  const actions = el('div', { class: 'actions' }, back, close)
  const head = el('div', { class: 'preview-head' }, title, about, actions)
  const dialog = openDialog({ style: 'preview history', label: 'Saved scripts' }, head, body)
  showList()
  void load()
}

function rowOf(script: SavedScript, choose: (script: SavedScript, row: HTMLElement) => void) {
  const { name, description, problem, modified_at: at } = script
  const row = el(
    'button',
    { type: 'button', on: { click: () => choose(script, row) } },
    el('code', {}, name),
    el('span', { class: problem ? 'outcome-word bad' : 'outcome-word' }, problem ?? description),
    el('time', { datetime: at }, formatWhen(new Date(at), new Date())),
  )
  return el('li', {}, row)
}

function formOf(
  { schema, problem }: SavedScript,
  onRun: (args: string) => void,
  onOpen: () => void,
): HTMLFormElement {
  const args = argsForm(schema)
  const form = el(
    'form',
    { class: 'saved-form' },
    problem
      ? failureNote({ title: 'It does not run as it is described.', advice: problem })
      : args.element,
    el(
      'div',
      { class: 'dialog-actions' },
      button('Open in the editor', onOpen),
      el('button', { type: 'submit', class: 'primary', disabled: problem !== undefined }, 'Run'),
    ),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    onRun(args.text())
  })
  return form
}
