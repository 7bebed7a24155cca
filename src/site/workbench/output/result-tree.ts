/** A collapsible JSON tree; closed levels are not rendered. */
import { button, el, type Child } from '../page/dom.ts'
import { countOf } from '../page/format.ts'

const PER_STEP = 100
const OPEN_DEPTH = 2
const OPEN_NODES = 300
const MAX_TEXT = 4000

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

/** Another view of a nested list, or `null`. */
type ListView = (value: unknown, label: string) => HTMLElement | null

interface Tree {
  readonly listView: ListView | undefined
  /** How many more nodes open by themselves. */
  openNodes: number
}

export function resultTree(value: unknown, listView?: ListView): HTMLElement {
  const tree: Tree = { listView, openNodes: OPEN_NODES }
  return el('div', { class: 'tree' }, node(tree, undefined, value, 0))
}

function node(tree: Tree, key: string | undefined, value: unknown, depth: number): HTMLElement {
  const label = key === undefined ? [] : [el('span', { class: 'key' }, key), ': ']
  if (typeof value !== 'object' || value === null || sizeOf(value as Container) === 0) {
    return el('div', { class: 'leaf' }, ...label, leaf(value))
  }
  return branch(tree, label, key ?? '', value as Container, depth)
}

function branch(
  tree: Tree,
  label: readonly Child[],
  key: string,
  value: Container,
  depth: number,
): HTMLElement {
  const size = sizeOf(value)
  const kind = Array.isArray(value) ? countOf(size, 'item') : countOf(size, 'field')
  const children = el('div', { class: 'children' })
  const details = el(
    'details',
    { open: depth < OPEN_DEPTH && (depth === 0 || tree.openNodes > 0) },
    el('summary', {}, ...label, el('span', { class: 'kind' }, kind)),
    children,
  )
  const open = () => {
    if (!details.open || children.childElementCount > 0) return
    const list = depth > 0 ? tree.listView?.(value, key) : null
    if (list) children.append(list)
    else showMore(tree, children, Object.entries(value), 0, depth)
  }
  open()
  details.addEventListener('toggle', open)
  return details
}

function showMore(
  tree: Tree,
  parent: HTMLElement,
  entries: readonly [string, unknown][],
  from: number,
  depth: number,
): void {
  const next = entries.slice(from, from + PER_STEP)
  tree.openNodes -= next.length
  parent.append(...next.map(([key, value]) => node(tree, key, value, depth + 1)))
  const left = entries.length - from - next.length
  if (left === 0) return
  const more = button(`Show ${Math.min(left, PER_STEP)} of ${left} more`, () => {
    more.remove()
    showMore(tree, parent, entries, from + PER_STEP, depth)
    // The pressed button is gone: the keyboard goes on at the next one.
    parent.querySelector<HTMLElement>(':scope > button')?.focus()
  })
  more.className = 'quiet'
  parent.append(more)
}

function leaf(value: unknown): HTMLElement {
  const kind = value === null ? 'null' : typeof value
  const text = JSON.stringify(value)
  const shown =
    text.length > MAX_TEXT
      ? `${text.slice(0, MAX_TEXT)}… (${countOf(text.length - MAX_TEXT, 'character')} more)`
      : text
  return el('span', { class: `value ${kind}` }, shown)
}

function sizeOf(value: Container): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}
