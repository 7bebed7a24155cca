/** Scans XML piece by piece, for parts that are too large to hold as one string. */
import { FormatError } from '../format-host.ts'

export type XmlToken =
  | {
      readonly kind: 'open'
      /** Without its namespace prefix. */
      readonly name: string
      /** As written; see {@link attributeOf}. */
      readonly attributes: string
      readonly isEmpty: boolean
    }
  | { readonly kind: 'close'; readonly name: string }
  /** May be a part of the text between two tags. */
  | { readonly kind: 'text'; readonly text: string }

/** Also of comments; each is looked at again with every piece until it ends. */
const MAX_TAG_LENGTH = 1024 * 1024
/** `&#x10ffff;` and some zeros. */
const MAX_ENTITY_LENGTH = 32
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Knows no DTD: entities cannot expand, and nothing is fetched. */
export class XmlScanner {
  readonly #place: string
  #rest = ''
  /** Characters that were scanned. */
  #offset = 0

  /** @param place For errors. */
  constructor(place: string) {
    this.#place = place
  }

  /**
   * What is complete so far, in order.
   *
   * @throws {FormatError} for a tag that never ends.
   */
  scan(piece: string, isLast = false): XmlToken[] {
    const text = this.#rest + piece
    const tokens: XmlToken[] = []
    let at = 0
    while (at < text.length) {
      const end = text[at] === '<' ? this.#markup(text, at, tokens) : textEnd(text, at, isLast)
      if (end === -1) break
      if (text[at] !== '<') tokens.push({ kind: 'text', text: decodeEntities(text.slice(at, end)) })
      at = end
    }
    this.#rest = text.slice(at)
    this.#offset += at
    const isCut = isLast && this.#rest !== ''
    if (isCut || this.#rest.length > MAX_TAG_LENGTH) {
      throw new FormatError(
        `${this.#place} is damaged: the tag at character ${this.#offset + 1} does not end`,
      )
    }
    return tokens
  }

  /** Where the markup at `at` ends, or -1 if that is not known yet. */
  #markup(text: string, at: number, tokens: XmlToken[]): number {
    if (text.startsWith('<!--', at)) return after(text, '-->', at + 4)
    if (text.startsWith('<?', at)) return after(text, '?>', at + 2)
    if (text.startsWith('<![CDATA[', at)) {
      const end = after(text, ']]>', at + 9)
      if (end !== -1) tokens.push({ kind: 'text', text: text.slice(at + 9, end - 3) })
      return end
    }
    // A longer beginning may still become one of those above.
    if (text.length - at < 9 && '<![CDATA['.startsWith(text.slice(at))) return -1
    const end = tagEnd(text, at + 1)
    if (end === -1) return -1
    if (text[at + 1] !== '!') tokens.push(tagOf(text.slice(at + 1, end)))
    return end + 1
  }
}

/** `undefined` if there is no such attribute. The name may have a prefix. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    const before = attributes[at - 1]
    const quote = attributes[at + name.length + 1]
    const isWhole = before === undefined || before === ':' || /\s/.test(before)
    if (!isWhole || attributes[at + name.length] !== '=') continue
    if (quote !== '"' && quote !== "'") continue
    const start = at + name.length + 2
    const end = attributes.indexOf(quote, start)
    return end === -1 ? undefined : decodeEntities(attributes.slice(start, end))
  }
  return undefined
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? -1 : at + mark.length
}

/** Keeps back what may be the beginning of an entity. */
function textEnd(text: string, at: number, isLast: boolean): number {
  const tag = text.indexOf('<', at)
  if (tag !== -1) return tag
  if (isLast) return text.length
  const entity = text.lastIndexOf('&')
  const isOpen =
    entity >= at && !text.includes(';', entity) && text.length - entity < MAX_ENTITY_LENGTH
  if (!isOpen) return text.length
  return entity > at ? entity : -1
}

/** The `>` outside of quotes. */
function tagEnd(text: string, from: number): number {
  let quote = 0
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 0x22 || code === 0x27) quote = code
    else if (code === 0x3e) return i
  }
  return -1
}

function tagOf(inside: string): XmlToken {
  if (inside.startsWith('/')) return { kind: 'close', name: localName(inside.slice(1).trim()) }
  const isEmpty = inside.endsWith('/')
  const space = inside.search(/[\s/]/)
  const name = space === -1 ? inside : inside.slice(0, space)
  const attributes = space === -1 ? '' : inside.slice(space, isEmpty ? -1 : undefined)
  return { kind: 'open', name: localName(name), attributes, isEmpty }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Unknown entities stay as they are. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,6});/gi, (whole, body: string) => {
    if (!body.startsWith('#')) return NAMED[body] ?? whole
    const isHex = body[1] === 'x' || body[1] === 'X'
    const code = isHex ? parseInt(body.slice(2), 16) : Number(body.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
}
