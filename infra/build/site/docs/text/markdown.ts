/** Pages as Markdown, for models and for people who copy them. */
import { elementsIn, hasClass, textOf, type HtmlElement, type HtmlNode } from './html-tree.ts'

/** @param main The content of a page. */
export function markdownOf(main: HtmlElement): string {
  return `${blocksIn(main).join('\n\n')}\n`
}

function blocksIn(parent: HtmlElement): string[] {
  return elementsIn(parent)
    .flatMap(blocksOf)
    .filter((text) => text !== '')
}

function blocksOf(element: HtmlElement): string[] {
  const { tag } = element
  if (/^h[1-4]$/.test(tag)) return [`${'#'.repeat(Number(tag[1]))} ${headingText(element)}`]
  if (tag === 'ul' || tag === 'ol') return [listText(element)]
  if (tag === 'table') return [tableText(element)]
  if (hasClass(element, 'code')) return [fence(element)]
  // The way up is for readers of the site, and the language is said by the fence.
  if (hasClass(element, 'crumbs') || hasClass(element, 'language')) return []
  // The codes of errors lead to their page for every request: there, once is enough.
  if (hasClass(element, 'quiet')) return [inline(withoutLinks(element))]
  return tag === 'p' ? [inline(element)] : blocksIn(element)
}

function withoutLinks(element: HtmlElement): HtmlElement {
  const children = element.children.flatMap((child) =>
    typeof child !== 'string' && child.tag === 'a' ? child.children : [child],
  )
  return { ...element, children }
}

/** Headings link to themselves, which is of use in the page only. */
function headingText(element: HtmlElement): string {
  const [link] = elementsIn(element)
  return link?.tag === 'a' ? inline(link) : inline(element)
}

function listText(list: HtmlElement): string {
  const items = elementsIn(list).map((item, i) => {
    const mark = list.tag === 'ol' ? `${i + 1}. ` : '- '
    return mark + itemText(item).replaceAll(/\n(?!\n|$)/g, `\n${' '.repeat(mark.length)}`)
  })
  const isLoose = elementsIn(list).some((item) => elementsIn(item).some(({ tag }) => tag === 'p'))
  return items.join(isLoose ? '\n\n' : '\n')
}

/** Inline content, blocks, or one after the other. */
function itemText(item: HtmlElement): string {
  const firstBlock = item.children.findIndex(
    (child) => typeof child !== 'string' && BLOCKS.has(child.tag),
  )
  const end = firstBlock < 0 ? item.children.length : firstBlock
  const before = inline({ ...item, children: item.children.slice(0, end) })
  const blocks = blocksIn({ ...item, children: item.children.slice(end) })
  return [before, ...blocks].filter((text) => text !== '').join('\n\n')
}

const BLOCKS = new Set(['p', 'ul', 'ol', 'div', 'table'])

function tableText(table: HtmlElement): string {
  const rows = elementsIn(table)
    .flatMap(elementsIn)
    .map((row) => elementsIn(row).map((cell) => inline(cell).replaceAll('|', '\\|')))
  const [head = [], ...body] = rows
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function fence(block: HtmlElement): string {
  const code = textOf(block).trim()
  const [, language = ''] = block.attributes.class!.split(' ')
  const mark = '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map(({ length }) => length + 1)))
  return `${mark}${language === 'drawing' ? '' : language}\n${code}\n${mark}`
}

function inline(element: HtmlElement): string {
  return element.children.map(inlineNode).join('').replaceAll(/\s+/g, ' ').trim()
}

function inlineNode(node: HtmlNode): string {
  if (typeof node === 'string') return escaped(node)
  const text = () => node.children.map(inlineNode).join('')
  switch (node.tag) {
    case 'code':
      return codeSpan(textOf(node))
    case 'strong':
      return `**${text()}**`
    case 'em':
      return `*${text()}*`
    case 'a':
      return `[${text()}](${withMarkdownPath(node.attributes.href!)})`
    default:
      return hasClass(node, 'optional') ? `(${text()})` : text()
  }
}

function codeSpan(code: string): string {
  const mark = code.includes('`') ? '``' : '`'
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return mark + space + code + space + mark
}

/** From page to page, Markdown leads to Markdown. */
function withMarkdownPath(href: string): string {
  return href.replace(/^(\/docs[^#]*)/, '$1.md')
}

/** What would be read as markup. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, String.raw`\$&`)
}
