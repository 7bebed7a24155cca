/** Elements and what panels are made of. Content is always text: nothing here parses HTML. */

/** `null` and `false` are skipped, for inline conditions. */
export type Child = Node | string | number | null | undefined | false

type Tags = HTMLElementTagNameMap
type Events = {
  readonly [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void
}

/** `on` has listeners; the rest are attributes, `true` for present and `false` for absent. */
interface Attributes {
  readonly on?: Events
  readonly [name: string]: string | number | boolean | undefined | Events
}

export function el<K extends keyof Tags>(
  tag: K,
  { on = {}, ...attributes }: Attributes = {},
  ...children: readonly Child[]
): Tags[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || typeof value === 'object') continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  for (const [event, listener] of Object.entries(on)) {
    element.addEventListener(event, listener as EventListener)
  }
  element.append(...present(children))
  return element
}

export function button(
  label: Child,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return el('button', { type: 'button', ...attributes, on: { click: onClick } }, label)
}

/** A URL from a response; only safe ones become links. */
export function outerLink(
  label: string,
  address: string,
  attributes: Attributes = {},
): HTMLElement {
  const isWeb = /^https?:\/\//i.test(address)
  if (!isWeb) return el('span', {}, label)
  const safe = { href: address, target: '_blank', rel: 'noopener noreferrer' }
  return el('a', { ...attributes, ...safe }, label)
}

export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...present(children))
}

function present(children: readonly Child[]): (Node | string)[] {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === 'number' ? String(child) : child))
}

/** An observable value; the page's only state. */
export interface Cell<T> {
  get(): T
  /** Notifies watchers if changed. */
  set(value: T): void
  onChange(look: (value: T) => void): void
  /** Calls at once and on every change. */
  watch(look: (value: T) => void): void
}

export function cell<T>(initial: T): Cell<T> {
  const watchers: ((value: T) => void)[] = []
  let current = initial
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const look of watchers) look(value)
    },
    onChange: (look) => void watchers.push(look),
    watch(look) {
      watchers.push(look)
      look(current)
    },
  }
}

interface PanelName {
  readonly id: string
  /** CSS class, if not the id. */
  readonly style?: string
  readonly title: string
}

/** @param beside Shown next to the heading. */
export function panel(
  { id, style = id, title }: PanelName,
  beside: Child,
  ...content: readonly Child[]
): HTMLElement {
  const titleId = `${id}-title`
  return el(
    'section',
    { class: `panel ${style}`, id, 'aria-labelledby': titleId },
    el('div', { class: 'panel-head' }, el('h2', { id: titleId }, title), beside),
    ...content,
  )
}

const RESULT_MS = 1600

/** Briefly shows success or failure, without changing size. */
export function copyButton(
  label: string,
  textOf: () => string | Promise<string>,
  attributes: Attributes = {},
): HTMLButtonElement {
  const name = attributes['aria-label']
  const show = (text: string) => {
    element.textContent = text
    // No aria-label: it would hide the result from screen readers.
    if (text !== label) element.removeAttribute('aria-label')
    else if (typeof name === 'string') element.setAttribute('aria-label', name)
  }
  const copy = async () => {
    const result = await Promise.resolve(textOf())
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => 'Copied',
        () => 'Not copied',
      )
    show(result)
    setTimeout(() => show(label), RESULT_MS)
  }
  const element = button(label, () => void copy(), {
    class: 'quiet copy',
    'aria-live': 'polite',
    ...attributes,
  })
  return element
}

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started the download by the next task.
  setTimeout(() => URL.revokeObjectURL(address))
}
