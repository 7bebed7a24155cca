/** Breadcrumbs of the open folder, and a link to the shared one. */
import type { Cell } from '../page/cell.ts'
import { button, el, fill } from '../page/dom.ts'
import { SHARED } from './folder-rows.ts'

export function breadcrumbs(folder: Cell<string>): HTMLElement {
  const list = el('ol', {})
  const shared = button('Shared', () => folder.set(SHARED), {
    class: 'quiet',
    title: 'What everybody of your tenant can use',
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
