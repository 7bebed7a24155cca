/**
 * Turns HTML into Markdown. Scripts, styles and hidden elements are left out, nothing is fetched.
 */
import { MarkdownBuilder } from '../markdown-builder.ts'
import type { TextRoom } from '../text-room.ts'
import { decodeHtml } from './html-entities.ts'

/** Their content is not text of the page, up to their own end tag. */
const SKIPPED = new Set(
  'script style noscript template svg math iframe object select textarea title xmp audio video canvas'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  'p div section article main header footer nav aside address figure figcaption dl dt dd fieldset form details summary center body html head caption'.split(
    ' ',
  ),
)
/** Others could run code when the Markdown is shown. */
const LINKED = /^(?:https?|mailto):/i
const MAX_ADDRESS_LENGTH = 2000

interface Tag {
  readonly name: string
  readonly isClosing: boolean
  readonly attributes: string
  /** After its `>`. */
  readonly end: number
}

/** @throws {FormatError} if there is no room for its text. */
export function htmlText(html: string, room: TextRoom): string {
  const out = new MarkdownBuilder(room)
  let at = 0
  while (at < html.length) {
    const next = html.indexOf('<', at)
    const textEnd = next === -1 ? html.length : next
    if (textEnd > at) out.text(decodeHtml(html.slice(at, textEnd)))
    if (next === -1) break
    at = passMarkup(html, next, out)
  }
  return out.finish()
}

/** Where to go on. */
function passMarkup(html: string, at: number, out: MarkdownBuilder): number {
  if (html.startsWith('<!--', at)) return endOf(html, '-->', at + 4)
  if (html[at + 1] === '!' || html[at + 1] === '?') return endOf(html, '>', at + 1)
  const tag = tagAt(html, at)
  if (!tag) {
    out.text('<')
    return at + 1
  }
  if (SKIPPED.has(tag.name) && !tag.isClosing && !tag.attributes.endsWith('/')) {
    return afterElement(html, tag)
  }
  if (tag.isClosing) close(tag.name, out)
  else open(tag, out)
  return tag.end
}

function open({ name, attributes }: Tag, out: MarkdownBuilder): void {
  if (BLOCKS.has(name)) out.endBlock()
  else if (/^h[1-6]$/.test(name)) out.startHeading(Number(name[1]))
  else if (name === 'br') out.breakLine()
  else if (name === 'hr') out.add('---')
  else if (name === 'ul' || name === 'ol' || name === 'menu') out.openList(name === 'ol')
  else if (name === 'li') out.startItem()
  else if (name === 'blockquote') out.openQuote()
  else if (name === 'pre') out.openPre()
  else if (name === 'table') out.openTable()
  else if (name === 'tr') out.openRow()
  else if (name === 'td' || name === 'th') out.openCell()
  else if (name === 'img') out.text(attribute(attributes, 'alt'))
  else if (name === 'a') openLink(attribute(attributes, 'href'), out)
}

function close(name: string, out: MarkdownBuilder): void {
  if (BLOCKS.has(name) || /^h[1-6]$/.test(name) || name === 'li') out.endBlock()
  else if (name === 'ul' || name === 'ol' || name === 'menu') out.closeList()
  else if (name === 'blockquote') out.closeQuote()
  else if (name === 'pre') out.closePre()
  else if (name === 'table') out.closeTable()
  else if (name === 'a') out.closeLink()
}

function openLink(address: string, out: MarkdownBuilder): void {
  const isLinked = LINKED.test(address) && address.length <= MAX_ADDRESS_LENGTH
  if (isLinked && !/[\s()<>]/.test(address)) out.openLink(address)
}

/** `undefined` for a `<` that begins no tag. */
function tagAt(html: string, at: number): Tag | undefined {
  const isClosing = html[at + 1] === '/'
  let nameEnd = at + (isClosing ? 2 : 1)
  const nameStart = nameEnd
  while (/[a-z0-9:-]/i.test(html[nameEnd] ?? '')) nameEnd++
  if (!/[a-z]/i.test(html[nameStart] ?? '')) return undefined
  const end = tagClose(html, nameEnd)
  return {
    name: html.slice(nameStart, nameEnd).toLowerCase(),
    isClosing,
    attributes: html.slice(nameEnd, end),
    end: Math.min(end + 1, html.length),
  }
}

/** A quote counts only after `=`, as in browsers. */
function tagClose(html: string, from: number): number {
  let quote = ''
  let last = ''
  for (let i = from; i < html.length; i++) {
    const character = html[i]!
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return i
    else if (last === '=' && (character === '"' || character === "'")) quote = character
    if (character !== ' ' && character !== '\n') last = character
  }
  return html.length
}

function afterElement(html: string, { name, end }: Tag): number {
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi')
  closing.lastIndex = end
  const found = closing.exec(html)
  return found ? endOf(html, '>', found.index) : html.length
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function attribute(attributes: string, name: string): string {
  const pattern = new RegExp(
    `(?:^|[\\s/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
    'i',
  )
  const [, double, single, bare] = pattern.exec(attributes) ?? []
  return decodeHtml(double ?? single ?? bare ?? '')
}
