/** A file in a dialog, and what can be done with it. */
import { button, copyButton, el, fill, saveFile, type Child } from '../page/dom.ts'
import { asked, confirmed, failureLine, failureNote, failureOf, openDialog } from '../page/notes.ts'
import { RequestFailed, type Client } from '../service/client.ts'
import { editFile } from './edit-file.ts'
import { fileDialogHead } from './file-dialog-head.ts'
import type { FileText } from './file-text.ts'
import { previewContent, type Preview } from './preview-content.ts'

/** @param onChange Called with what was done to the file. */
export function openPreview(
  client: Client,
  path: string,
  onChange: (message: string) => void,
): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const note = el('span', { class: 'note-line', role: 'status' })
  const shown = el('div', { class: 'actions' })
  const body = el('div', { class: 'preview-body' }, el('p', { class: 'empty' }, 'Loading…'))

  /** A failure leaves the preview where it is. */
  const action = (label: string, work: () => Promise<void>) => {
    const act = () =>
      void work().catch((error: unknown) => {
        note.textContent = failureLine(error)
        note.classList.add('bad')
      })
    return button(label, act, { class: 'quiet' })
  }
  /** Closes it if something was done. */
  const change = async (work: Promise<string | null>) => {
    const done = await work
    if (done === null) return
    close()
    onChange(done)
  }

  const { close } = openDialog(
    { style: 'preview', label: `Preview of ${path}` },
    fileDialogHead(
      path,
      note,
      shown,
      action('Rename', () => change(rename(client, path))),
      copyButton('Copy link', () => client.linkTo(path)),
      action('Download', async () => saveFile(name, await client.download(path))),
      action('Delete', () => change(remove(client, path, name))),
      button('Close', () => close(), { class: 'quiet', autofocus: true }),
    ),
    body,
  )
  void previewContent(client, path).then(
    (preview) => {
      note.textContent = preview.note
      fill(body, preview.element)
      const edit = (text: FileText) => () => {
        close()
        editFile(client, path, text, onChange)
      }
      fill(
        shown,
        sourceToggle(preview, body),
        preview.text && button('Edit', edit(preview.text), { class: 'quiet' }),
      )
    },
    (error: unknown) => fill(body, failureNote(failureOf(error))),
  )
}

/** Returns what was done, if anything. */
async function rename(client: Client, path: string): Promise<string | null> {
  const question = { question: `Rename ${path}`, label: 'New path', text: path, yes: 'Rename' }
  const to = await asked(question)
  if (to === null || to === path) return null
  await client.rename(path, to).catch((error: unknown) => {
    const isTaken = error instanceof RequestFailed && error.status === 412
    throw isTaken ? new RequestFailed({ title: `${to} exists already.`, advice: '' }) : error
  })
  return `Renamed to ${to}.`
}

/** Returns what was done, if anything. */
async function remove(client: Client, path: string, name: string): Promise<string | null> {
  if (!(await confirmed(`Delete ${name}?`, 'This cannot be undone.', 'Delete'))) return null
  await client.remove(path)
  return `${name} is deleted.`
}

/** A rendered file also shows its text. */
function sourceToggle({ element, source }: Preview, body: HTMLElement): Child {
  if (!source) return null
  const toggle = button(
    'Source',
    () => {
      const isSource = body.firstElementChild !== source
      fill(body, isSource ? source : element)
      toggle.setAttribute('aria-pressed', String(isSource))
    },
    { class: 'quiet', 'aria-pressed': 'false' },
  )
  return toggle
}
