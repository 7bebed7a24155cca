/** The head of a dialog about one file. */
import { el, type Child } from '../page/dom.ts'

export function fileDialogHead(path: string, note: Child, ...actions: Child[]): HTMLElement {
  return el(
    'div',
    { class: 'preview-head' },
    el('h2', {}, el('bdi', {}, path)),
    note,
    el('div', { class: 'actions' }, ...actions),
  )
}
