/** The open folder's entries, in pages. */
import { button, el, fill } from '../page/dom.ts'
import { failureNote, failureOf } from '../page/failure-note.ts'
import type { Client } from '../service/client.ts'
import { RequestFailed } from '../service/failure.ts'
import { folderRows, SHARED, type RowActions } from './folder-rows.ts'

export interface FolderListing {
  readonly element: HTMLElement
  /** Reloads a folder; the root is the empty string. */
  show(folder: string): Promise<void>
  /** Shows only this message. */
  tell(text: string): void
}

export function folderListing(client: Client, actions: RowActions): FolderListing {
  const element = el('div', { class: 'rows' })
  let latest = 0

  /** Only the latest request may draw: responses can arrive out of order. */
  async function show(folder: string): Promise<void> {
    const turn = ++latest
    const nodes = await pageOf(folder).catch((error: unknown) => [failed(error, folder)])
    if (turn === latest) fill(element, ...nodes)
  }

  async function pageOf(folder: string, after?: string): Promise<HTMLElement[]> {
    const { entries, cursor } = await client.list(folder === '' ? '.' : folder, after)
    if (entries.length === 0) return [emptyNote(folder)]
    const list = folderRows(entries, actions)
    if (cursor === null) return [list]
    const more = button('Show more', () => void goOn(), { class: 'quiet more' })
    const goOn = async () =>
      more.replaceWith(
        ...(await pageOf(folder, cursor).catch((error: unknown) => [failed(error, folder)])),
      )
    return [list, more]
  }

  return {
    element,
    show,
    tell(text) {
      latest++
      fill(element, el('p', { class: 'empty' }, text))
    },
  }
}

/** Folders exist only with content: a missing one is empty. */
function failed(error: unknown, folder: string): HTMLElement {
  const isMissing = error instanceof RequestFailed && error.status === 404
  return isMissing ? emptyNote(folder) : failureNote(failureOf(error))
}

function emptyNote(folder: string): HTMLElement {
  const text =
    folder === SHARED
      ? 'Nothing is shared yet. What you put here, everybody of your tenant can use.'
      : 'No files here yet. Run a script that writes some, or drop files into this panel.'
  return el('p', { class: 'empty' }, text)
}
