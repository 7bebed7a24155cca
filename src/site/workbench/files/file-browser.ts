/** The caller's files: folders, previews, uploads, deletion. */
import { cell, type Cell } from '../page/cell.ts'
import { button, el } from '../page/dom.ts'
import { failureOf } from '../page/failure-note.ts'
import { countOf } from '../page/format.ts'
import { panel } from '../page/panel.ts'
import type { Client, Entry } from '../service/client.ts'
import { breadcrumbs } from './breadcrumbs.ts'
import { takeDrops } from './drop-zone.ts'
import { folderListing } from './folder-listing.ts'
import { openPreview } from './preview-dialog.ts'
import { removeEntry } from './remove-entry.ts'
import { uploadFiles } from './upload-files.ts'

export interface FileBrowser {
  readonly element: HTMLElement
  refresh(): void
}

export function fileBrowser(client: Client, token: Cell<string>): FileBrowser {
  const folder = cell('')
  const told = el('p', { class: 'told', role: 'status' })
  const listing = folderListing(client, {
    openFolder: folder.set,
    openFile: (path) => openPreview(client, path),
    remove: (entry) => void remove(entry),
  })

  async function refresh(): Promise<void> {
    if (token.get() === '') listing.tell('Your files appear here once there is a token.')
    else await listing.show(folder.get())
  }

  /** Focuses the list after an action, because the focused element may be gone. */
  async function refreshInPlace(): Promise<void> {
    await refresh()
    if (document.activeElement !== document.body) return
    element.querySelector<HTMLElement>('.file-name, .upload')?.focus()
  }

  function tell(text: string, isBad = false): void {
    told.textContent = text
    told.classList.toggle('bad', isBad)
  }

  async function act(work: () => Promise<string>): Promise<void> {
    try {
      tell(await work())
    } catch (error) {
      const { title, advice } = failureOf(error)
      tell(`${title} ${advice}`.replaceAll('`', ''), true)
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
    () => void refresh(),
    (files) => void upload(files),
    [breadcrumbs(folder), el('div', { class: 'panel-body' }, listing.element, told)],
  )
  takeDrops(element, (files) => void upload(files))
  folder.onChange(() => void refreshInPlace())
  token.watch(() => (folder.get() === '' ? void refresh() : folder.set('')))
  return { element, refresh: () => void refresh() }
}

function filesPanel(
  onRefresh: () => void,
  onFiles: (files: readonly File[]) => void,
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
    button('Upload…', () => input.click(), { class: 'quiet upload' }),
    input,
  )
  return panel({ id: 'files', style: 'browser', title: 'Files' }, actions, ...content)
}
