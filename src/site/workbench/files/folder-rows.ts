/** Rows for a folder's entries, with open and delete. */
import { button, el } from '../page/dom.ts'
import { formatBytes } from '../page/format.ts'
import type { Entry } from '../service/client.ts'

export const SHARED = 'share'

export interface RowActions {
  openFolder(path: string): void
  openFile(path: string): void
  remove(entry: Entry): void
}

/** Folders first. */
export function folderRows(entries: readonly Entry[], actions: RowActions): HTMLElement {
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
