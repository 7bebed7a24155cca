/** A result: lists of objects as a table, anything else as a tree. */
import { button, el, fill } from '../page/dom.ts'
import { dataTable } from '../table/data-table.ts'
import { tableOfObjects } from '../table/table-data.ts'
import { resultTree } from './result-tree.ts'

export function resultView(value: unknown): HTMLElement {
  return listView(value) ?? resultTree(value, listView)
}

/** `null` unless it is a list of objects. Always offers the other view. */
export function listView(value: unknown, label = 'Result'): HTMLElement | null {
  const data = tableOfObjects(value)
  if (!data) return null
  const holder = el('div', { class: 'list-view' })
  const asTable = () => {
    const json = button('Show as JSON', asTree, { class: 'quiet' })
    fill(holder, dataTable(data, { label, actions: [json], detail: detailView }))
  }
  const asTree = () => {
    const table = button('Show as table', back, { class: 'quiet' })
    fill(holder, el('div', { class: 'table-bar' }, table), resultTree(value))
    table.focus()
  }
  const back = () => {
    asTable()
    holder.querySelector<HTMLElement>('.table-bar > :last-child')?.focus()
  }
  asTable()
  return holder
}

/** A long text keeps its lines. */
export function detailView(value: unknown): HTMLElement {
  return typeof value === 'string' ? el('pre', {}, value) : resultView(value)
}
