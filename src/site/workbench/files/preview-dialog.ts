/** A dialog with a file's preview, link and download. */
import { copyButton, saveFile } from '../page/clipboard.ts'
import { button, el, fill } from '../page/dom.ts'
import { failureNote, failureOf } from '../page/failure-note.ts'
import { openDialog } from '../page/open-dialog.ts'
import type { Client } from '../service/client.ts'
import { previewContent } from './preview-content.ts'

export function openPreview(client: Client, path: string): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const note = el('span', { class: 'note-line' })
  const body = el('div', { class: 'preview-body' }, el('p', { class: 'empty' }, 'Loading…'))
  const tell = (error: unknown) => fill(body, failureNote(failureOf(error)))
  const save = () => void client.download(path).then((content) => saveFile(name, content), tell)

  const dialog = openDialog(
    'preview',
    `Preview of ${path}`,
    undefined,
    el(
      'div',
      { class: 'preview-head' },
      el('h2', {}, el('bdi', {}, path)),
      note,
      el(
        'div',
        { class: 'actions' },
        copyButton('Copy link', () => client.linkTo(path)),
        button('Download', save, { class: 'quiet' }),
        button('Close', () => dialog.close(), { class: 'quiet', autofocus: true }),
      ),
    ),
    body,
  )
  void previewContent(client, path).then((preview) => {
    note.textContent = preview.note
    fill(body, preview.element)
  }, tell)
}
