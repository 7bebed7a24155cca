/** Edits the text of a file in a dialog; never overwrites a version that nobody saw. */
import { button, el } from '../page/dom.ts'
import { confirmed, failureLine, openDialog } from '../page/notes.ts'
import { RequestFailed, type Client } from '../service/client.ts'
import { fileDialogHead } from './file-dialog-head.ts'
import { toBlob, type FileText } from './file-text.ts'

/** @param onSaved Called after each time. */
export function editFile(
  client: Client,
  path: string,
  file: FileText,
  onSaved: (message: string) => void,
): void {
  let { etag, text: stored } = file
  const note = el('span', { class: 'note-line', role: 'status' })
  const area = textArea(path, file.text, () => void save())
  const saveButton = button('Save', () => void save(), { class: 'primary' })
  const isChanged = () => area.value !== stored
  const tell = (text: string, isBad = false) => {
    note.textContent = text
    note.classList.toggle('bad', isBad)
  }

  async function save(): Promise<void> {
    const text = area.value
    tell('Saving…')
    try {
      const saved = await store(client, path, toBlob(text, file), etag)
      if (saved === null) return tell('Not saved.', true)
      etag = saved
      stored = text
      tell('Saved.')
      onSaved(`${path} is saved.`)
    } catch (error) {
      tell(failureLine(error), true)
    }
  }

  area.addEventListener('input', () => tell(isChanged() ? 'Not saved yet.' : ''))
  const stopWarning = warnOnLeave(isChanged)
  const { close } = openDialog(
    {
      style: 'preview',
      label: `Edit ${path}`,
      mayClose: async () =>
        !isChanged() ||
        confirmed(`Discard the changes to ${path}?`, 'They are not saved.', 'Discard'),
      onClose: stopWarning,
    },
    fileDialogHead(
      path,
      note,
      saveButton,
      button('Close', () => close(), { class: 'quiet' }),
    ),
    area,
  )
}

function textArea(path: string, text: string, onSave: () => void): HTMLTextAreaElement {
  const area = el('textarea', {
    class: 'file-text',
    spellcheck: 'false',
    autofocus: true,
    'aria-label': `Text of ${path}`,
  })
  area.value = text
  area.addEventListener('keydown', (event) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onSave()
  })
  return area
}

/** Returns how to stop. */
function warnOnLeave(isChanged: () => boolean): () => void {
  const warn = (event: BeforeUnloadEvent) => isChanged() && event.preventDefault()
  addEventListener('beforeunload', warn)
  return () => removeEventListener('beforeunload', warn)
}

/** Asks before it replaces another version. `null` if it did not. */
export async function store(
  client: Client,
  path: string,
  body: Blob,
  etag: string | null,
): Promise<string | null> {
  try {
    return await client.upload(path, body, etag === null ? 'nothing' : { etag })
  } catch (error) {
    const isOther = error instanceof RequestFailed && error.status === 412
    if (!isOther) throw error
  }
  const [question, detail] =
    etag === null
      ? [`Replace ${path}?`, 'There is already a file with this name.']
      : [`Replace the new version of ${path}?`, 'It was changed or deleted since you opened it.']
  if (!(await confirmed(question, detail, 'Replace'))) return null
  return client.upload(path, body, 'anything')
}
