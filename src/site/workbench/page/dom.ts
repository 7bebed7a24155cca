/** Creates elements. Content is always text: nothing here parses HTML. */

/** `null` and `false` are skipped, for inline conditions. */
export type Child = Node | string | number | null | undefined | false

type Tags = HTMLElementTagNameMap
type Events = {
  readonly [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void
}

/** `on` has listeners; the rest are attributes, `true` for present and `false` for absent. */
export interface Attributes {
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
