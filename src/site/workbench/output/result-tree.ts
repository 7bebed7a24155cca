/** A collapsible JSON tree; closed levels are not rendered. */
import { button, el, type Child } from '../page/dom.ts'
import { countOf } from '../page/format.ts'

const PER_STEP = 100
const OPEN_DEPTH = 2
const MAX_TEXT = 4000

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

export function resultTree(value: unknown): HTMLElement {
  return el('div', { class: 'tree' }, node(undefined, value, 0))
}

function node(key: string | undefined, value: unknown, depth: number): HTMLElement {
  const label = key === undefined ? [] : [el('span', { class: 'key' }, key), ': ']
  if (typeof value !== 'object' || value === null || sizeOf(value as Container) === 0) {
    return el('div', { class: 'leaf' }, ...label, leaf(value))
  }
  return branch(label, value as Container, depth)
}

function branch(label: readonly Child[], value: Container, depth: number): HTMLElement {
  const size = sizeOf(value)
  const kind = Array.isArray(value) ? countOf(size, 'item') : countOf(size, 'field')
  const children = el('div', { class: 'children' })
  const details = el(
    'details',
    { open: depth < OPEN_DEPTH && size <= PER_STEP },
    el('summary', {}, ...label, el('span', { class: 'kind' }, kind)),
    children,
  )
  const open = () => {
    if (children.childElementCount === 0) showMore(children, Object.entries(value), 0, depth)
  }
  if (details.open) open()
  details.addEventListener('toggle', open)
  return details
}

function showMore(
  parent: HTMLElement,
  entries: readonly [string, unknown][],
  from: number,
  depth: number,
): void {
  const next = entries.slice(from, from + PER_STEP)
  parent.append(...next.map(([key, value]) => node(key, value, depth + 1)))
  const left = entries.length - from - next.length
  if (left === 0) return
  const more = button(`Show ${Math.min(left, PER_STEP)} of ${left} more`, () => {
    more.remove()
    showMore(parent, entries, from + PER_STEP, depth)
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
