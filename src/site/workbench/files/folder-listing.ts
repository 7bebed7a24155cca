/** The open folder: its path, and its entries in pages. */
import { button, el, fill, type Cell } from '../page/dom.ts'
import { failureNote, failureOf } from '../page/notes.ts'
import { RequestFailed, type Client, type Entry } from '../service/client.ts'
import { formatBytes } from '../page/format.ts'

export function folderListing(client: Client, actions: RowActions) {
  const element = el('div', { class: 'rows' })
  let latest = 0

  /**
   * Reloads a folder; the root is the empty string. Only the latest request may draw: responses can
   * arrive out of order.
   */
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
    /** Shows only this message. */
    tell(text: string) {
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
      ? 'Nothing is shared yet. Everyone in your tenant can use the files in this folder.'
      : 'No files here yet. Run a script that writes some, or drop files into this panel.'
  return el('p', { class: 'empty' }, text)
}

const SHARED = 'share'

interface RowActions {
  openFolder(path: string): void
  openFile(path: string): void
  remove(entry: Entry): void
}

/** Folders first. */
function folderRows(entries: readonly Entry[], actions: RowActions): HTMLElement {
  const sorted = [...entries].sort(
    (a, b) => Number(a.type === 'file') - Number(b.type === 'file') || (a.name < b.name ? -1 : 1),
  )
  return el(
    'ul',
    { class: 'files browser-rows' },
    ...sorted.map((entry) => rowView(entry, actions)),
  )
}

function rowView(entry: Entry, { openFolder, openFile, remove }: RowActions): HTMLElement {
  const { name, path, type, bytes } = entry
  const isFolder = type === 'folder'
  const open = () => (isFolder ? openFolder(path) : openFile(path))
  const isShared = path === SHARED
  return el(
    'li',
    {},
    button(el('bdi', {}, isFolder ? `${name}/` : name), open, {
      class: `file-name ${type}`,
      title: isFolder ? 'Open' : 'Preview',
    }),
    el('span', { class: 'size' }, isShared ? 'shared' : bytes === null ? '' : formatBytes(bytes)),
    // The shared folder cannot be deleted here: it belongs to everyone.
    !isShared &&
      button('Delete', () => remove(entry), {
        class: 'quiet delete',
        'aria-label': `Delete ${name}`,
      }),
  )
}

export function breadcrumbs(folder: Cell<string>): HTMLElement {
  const list = el('ol', {})
  const shared = button('Shared', () => folder.set(SHARED), {
    class: 'quiet',
    title: 'Files shared within your tenant',
  })
  folder.watch((path) => {
    const names = path === '' ? [] : path.split('/')
    const steps = names.map((name, i) => ({ name, path: names.slice(0, i + 1).join('/') }))
    const all = [{ name: 'Your files', path: '' }, ...steps]
    fill(
      list,
      ...all.map((step, i) =>
        i === all.length - 1
          ? el('li', { 'aria-current': 'page' }, el('bdi', {}, step.name))
          : el(
              'li',
              {},
              button(el('bdi', {}, step.name), () => folder.set(step.path)),
            ),
      ),
    )
    shared.hidden = path.split('/')[0] === SHARED
  })
  return el('nav', { class: 'breadcrumbs', 'aria-label': 'Folder' }, list, shared)
}
