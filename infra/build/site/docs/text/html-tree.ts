/** Reads the HTML that this build writes: balanced tags, quoted attributes, numeric references. */

export type HtmlNode = string | HtmlElement

export interface HtmlElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: HtmlNode[]
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>|[^<]+/y

const VOID = new Set(['br', 'hr', 'img'])

/** @throws if the HTML is not balanced. */
export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { tag: 'main', attributes: {}, children: [] }
  const open = [root]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < html.length) {
    const at = TOKEN.lastIndex
    const token = TOKEN.exec(html)
    if (!token) throw new Error(`not HTML of this build: ${html.slice(at, at + 60)}`)
    const [text, slash, tag, attributes] = token
    if (tag === undefined) open.at(-1)!.children.push(unescape(text))
    else if (slash === '') {
      const element = { tag, attributes: readAttributes(attributes!), children: [] }
      open.at(-1)!.children.push(element)
      if (!VOID.has(tag)) open.push(element)
    } else if (open.pop()!.tag !== tag) {
      throw new Error(`</${tag}> closes another element: ${html.slice(at - 60, at + 20)}`)
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)!.tag}> is not closed`)
  return root
}

export function textOf(node: HtmlNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('')
}

export function hasClass({ attributes }: HtmlElement, name: string): boolean {
  return attributes.class?.split(' ').includes(name) ?? false
}

export function elementsIn({ children }: HtmlElement): HtmlElement[] {
  return children.filter((child) => typeof child !== 'string')
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, unescape(value ?? '')]))
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|amp|lt|gt|quot);/g, (reference, code?: string) =>
    code === undefined ? NAMED[reference]! : String.fromCodePoint(Number(code)),
  )
}

const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
}
