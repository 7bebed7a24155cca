/** The caller's files: folders, previews, uploads, deletion. */
import { cell, button, el, panel, type Cell } from '../page/dom.ts'
import { asked, confirmed, failureLine } from '../page/notes.ts'
import { countOf } from '../page/format.ts'
import { RequestFailed, type Client, type Entry } from '../service/client.ts'
import { editFile } from './edit-file.ts'
import { breadcrumbs, folderListing } from './folder-listing.ts'
import { openPreview } from './preview.ts'
import { usageLine } from './usage-line.ts'

export function fileBrowser(client: Client, token: Cell<string>) {
  const folder = cell('')
  const notice = el('p', { class: 'file-notice', role: 'status' })
  const usage = usageLine(client)
  const listing = folderListing(client, {
    openFolder: folder.set,
    openFile,
    remove: (entry) => void remove(entry),
  })

  const onChange = (message: string) => {
    tell(message)
    void refreshInPlace()
  }
  function openFile(path: string): void {
    openPreview(client, path, onChange)
  }

  async function makeFile(): Promise<void> {
    const text = pathIn(folder.get(), 'notes.txt')
    const path = await asked({ question: 'New file', label: 'Path', text, yes: 'Create' })
    if (path === null) return
    editFile(client, path, { text: '', lineEnd: '\n', etag: null }, onChange)
  }

  async function refresh(): Promise<void> {
    if (token.get() === '') listing.tell('Your files appear here once there is a token.')
    else await Promise.all([listing.show(folder.get()), usage.refresh()])
  }

  /** Focuses the list after an action, because the focused element may be gone. */
  async function refreshInPlace(): Promise<void> {
    await refresh()
    if (document.activeElement !== document.body) return
    element.querySelector<HTMLElement>('.file-name, .upload')?.focus()
  }

  function tell(text: string, isBad = false): void {
    notice.textContent = text
    notice.classList.toggle('bad', isBad)
  }

  async function act(work: () => Promise<string>): Promise<void> {
    try {
      tell(await work())
    } catch (error) {
      tell(failureLine(error), true)
    }
    await refreshInPlace()
  }

  function remove(entry: Entry): Promise<void> {
    return act(async () => ((await removeEntry(client, entry)) ? `${entry.name} is deleted.` : ''))
  }

  async function upload(files: readonly File[]): Promise<void> {
    if (files.length === 0) return
    await act(async () => {
      const stored = await uploadFiles(client, folder.get(), files, tell)
      return `${countOf(stored, 'file')} uploaded.`
    })
  }

  const element = filesPanel(
    {
      onRefresh: () => void refresh(),
      onNew: () => void makeFile(),
      onFiles: (files) => void upload(files),
    },
    [
      breadcrumbs(folder),
      el('div', { class: 'panel-body' }, listing.element, usage.element, notice),
    ],
  )
  takeDrops(element, (files) => void upload(files))
  folder.onChange(() => void refreshInPlace())
  token.watch(() => (folder.get() === '' ? void refresh() : folder.set('')))
  return { element, refresh: () => void refresh(), openFile }
}

interface PanelActions {
  onRefresh(): void
  onNew(): void
  onFiles(files: readonly File[]): void
}

function filesPanel(
  { onRefresh, onNew, onFiles }: PanelActions,
  content: readonly Node[],
): HTMLElement {
  const input = el('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    'aria-label': 'Files to upload',
    on: {
      change() {
        onFiles([...(input.files ?? [])])
        input.value = ''
      },
    },
  })
  const actions = el(
    'div',
    { class: 'actions' },
    button('Refresh', onRefresh, { class: 'quiet' }),
    button('New…', onNew, { class: 'quiet', 'aria-label': 'New file' }),
    button('Upload…', () => input.click(), { class: 'quiet upload' }),
    input,
  )
  return panel({ id: 'files', style: 'browser', title: 'Files' }, actions, ...content)
}

/** Accepts dropped files; elsewhere a dropped file would replace the page. */
function takeDrops(element: HTMLElement, take: (files: readonly File[]) => void): void {
  let depth = 0
  const mark = (change: number) => {
    depth = Math.max(0, depth + change)
    element.classList.toggle('dropping', depth > 0)
  }
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

  element.addEventListener('dragenter', (event) => holdsFiles(event) && mark(1))
  element.addEventListener('dragleave', (event) => holdsFiles(event) && mark(-1))
  element.addEventListener('drop', (event) => {
    mark(-Infinity)
    take([...(event.dataTransfer?.files ?? [])])
  })
  for (const name of ['dragover', 'drop'] as const) {
    document.addEventListener(name, (event) => holdsFiles(event) && event.preventDefault())
  }
}

/** Returns whether it was deleted. @throws {RequestFailed} */
async function removeEntry(client: Client, { name, path, type }: Entry): Promise<boolean> {
  const warning = type === 'folder' ? 'Everything in it is deleted too. ' : ''
  const detail = `${warning}This cannot be undone.`
  if (!(await confirmed(`Delete ${name}?`, detail, 'Delete'))) return false
  await client.remove(path)
  return true
}

/** Returns how many were uploaded. @throws {RequestFailed} at the first failure. */
async function uploadFiles(
  client: Client,
  folder: string,
  files: readonly File[],
  tell: (progress: string) => void,
): Promise<number> {
  let stored = 0
  for (const [i, file] of files.entries()) {
    const count = files.length > 1 ? ` (${i + 1} of ${files.length})` : ''
    tell(`Uploading ${file.name}${count}…`)
    if (await uploadOne(client, pathIn(folder, file.name), file)) stored++
  }
  return stored
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

async function uploadOne(client: Client, path: string, file: File): Promise<boolean> {
  try {
    await client.upload(path, file, 'nothing')
    return true
  } catch (error) {
    const isTaken = error instanceof RequestFailed && error.status === 412
    if (!isTaken) throw error
  }
  const detail = 'The current content would be lost.'
  if (!(await confirmed(`Replace ${path}?`, detail, 'Replace'))) return false
  await client.upload(path, file, 'anything')
  return true
}
