/** Parses the inline content of a paragraph, heading or table cell. */
import { angleLinkAt, bareLinkAt, type Autolink } from './autolinks.ts'
import { pairRuns, Run } from './emphasis.ts'
import { escapeAddress, escapeText, PUNCTUATION, referenceAt, referenceHtml } from './escape.ts'
import { LINK_END, linkStart, piecesPlain, textPiece, type Piece } from './pieces.ts'
import { inlineTargetAt, labelAt, matchAt, normalizeLabel, type Found } from './targets.ts'
import type { Target } from './tree.ts'

/** Resolves link and footnote labels. */
export interface References {
  /** `undefined` for an unknown label. */
  target(label: string): Target | undefined
  /** The footnote reference as HTML; `undefined` for an unknown label. */
  note(label: string): string | undefined
}

interface Bracket {
  readonly isImage: boolean
  /** Offset of its text. */
  readonly start: number
  readonly piece: number
  readonly run: Run | undefined
  /** Whether it contains other brackets: labels must not. */
  hasInner: boolean
}

const WORD = /[A-Za-z0-9]+/y
const OTHER_TEXT = /[^\\`*_~[\]!<&\nA-Za-z0-9]+/y
const ESCAPE = new RegExp(`^[${PUNCTUATION}]$`)

/** Single pass from left to right, without backtracking. */
export function parseInline(text: string, references: References): Piece[] {
  return new InlineParser(text, references).parse()
}

class InlineParser {
  readonly #text: string
  readonly #references: References
  readonly #pieces: Piece[] = []
  readonly #brackets: Bracket[] = []
  /** Brackets below this depth already contain a link and cannot become one. */
  #holders = 0
  #at = 0
  #lastRun: Run | undefined
  /** No bare link starts before this offset. */
  #searched = 0
  /** Offset of the last backtick run of each length. */
  #lastTicks: Map<number, number> | undefined

  constructor(text: string, references: References) {
    this.#text = text
    this.#references = references
  }

  parse(): Piece[] {
    while (this.#at < this.#text.length) this.#step()
    pairRuns(this.#lastRun, undefined)
    return this.#pieces
  }

  #step(): void {
    switch (this.#text[this.#at]) {
      case '\\':
        return this.#escape()
      case '`':
        return this.#code()
      case '*':
      case '_':
      case '~':
        return this.#run()
      case '[':
        return this.#openBracket(1)
      case '!':
        return this.#text[this.#at + 1] === '[' ? this.#openBracket(2) : this.#add('!', 1)
      case ']':
        return this.#closeBracket()
      case '<': {
        const link = angleLinkAt(this.#text, this.#at)
        return link ? this.#link(link) : this.#add('&lt;', 1)
      }
      case '&': {
        const reference = referenceAt(this.#text, this.#at)
        return reference === undefined
          ? this.#add('&amp;', 1)
          : this.#add(referenceHtml(reference), reference.length)
      }
      case '\n':
        return this.#lineEnd('\n')
      default:
        return this.#words()
    }
  }

  #add(html: string, length: number): void {
    this.#pieces.push(textPiece(html))
    this.#at += length
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? ''
    if (next === '\n') {
      this.#at += 1
      this.#lineEnd('<br />\n')
    } else if (ESCAPE.test(next)) this.#add(escapeText(next), 2)
    else this.#add('\\', 1)
  }

  #lineEnd(html: string): void {
    this.#pieces.push({ html, plain: '\n' })
    this.#at += 1
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1
  }

  #words(): void {
    const word = matchAt(WORD, this.#text, this.#at)?.[0] ?? ''
    if (word === '') return this.#otherText()
    const isSearched = this.#at < this.#searched || this.#brackets.length > 0
    const link = isSearched || !this.#isAtStart() ? undefined : bareLinkAt(this.#text, this.#at)
    if (typeof link === 'object') return this.#link(link)
    if (link !== undefined) this.#searched = link
    this.#add(word, word.length)
  }

  #isAtStart(): boolean {
    return !/[\p{L}\p{N}./+@:=&\\-]/u.test(this.#text[this.#at - 1] ?? ' ')
  }

  #otherText(): void {
    const text = matchAt(OTHER_TEXT, this.#text, this.#at)?.[0] ?? ''
    if (this.#text[this.#at + text.length] !== '\n') {
      return this.#add(escapeText(text), text.length)
    }
    let end = text.length
    while (text[end - 1] === ' ') end -= 1
    this.#add(escapeText(text.slice(0, end).trimEnd()), text.length)
    this.#lineEnd(text.length - end >= 2 ? '<br />\n' : '\n')
  }

  #link({ href, text, length }: Autolink): void {
    const start = linkStart(escapeAddress(href.replaceAll('\\', '%5C')))
    this.#pieces.push(start, textPiece(escapeText(text)), LINK_END)
    this.#at += length
  }

  #code(): void {
    const start = this.#at
    const ticks = matchAt(/`+/y, this.#text, start)![0]
    this.#lastTicks ??= lastRuns(this.#text)
    if ((this.#lastTicks.get(ticks.length) ?? -1) <= start) return this.#add(ticks, ticks.length)
    const runs = /`+/g
    runs.lastIndex = start + ticks.length
    let close = runs.exec(this.#text)!
    while (close[0].length !== ticks.length) close = runs.exec(this.#text)!
    const code = this.#text.slice(start + ticks.length, close.index).replaceAll('\n', ' ')
    const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    const plain = escapeText(isPadded ? code.slice(1, -1) : code)
    this.#pieces.push({ html: `<code>${plain}</code>`, plain })
    this.#at = runs.lastIndex
  }

  #run(): void {
    const start = this.#at
    while (this.#text[this.#at] === this.#text[start]) this.#at += 1
    this.#lastRun = new Run(this.#text, start, this.#at - start, this.#lastRun)
    this.#pieces.push(this.#lastRun)
  }

  #openBracket(length: number): void {
    const outer = this.#brackets.at(-1)
    if (outer) outer.hasInner = true
    this.#brackets.push({
      isImage: length === 2,
      start: this.#at + length,
      piece: this.#pieces.length,
      run: this.#lastRun,
      hasInner: false,
    })
    this.#add(length === 2 ? '![' : '[', length)
  }

  #closeBracket(): void {
    const bracket = this.#brackets.pop()
    const isHolder = this.#brackets.length < this.#holders
    this.#holders = Math.min(this.#holders, this.#brackets.length)
    if (!bracket || (isHolder && !bracket.isImage)) return this.#add(']', 1)
    const found = inlineTargetAt(this.#text, this.#at + 1) ?? this.#referenced(bracket)
    if (found) this.#finish(bracket, found)
    else if (!this.#note(bracket)) this.#add(']', 1)
  }

  #referenced({ start, hasInner }: Bracket): Found<Target> | undefined {
    const behind = labelAt(this.#text, this.#at + 1)
    const isOwn = !behind || behind.value === ''
    if (isOwn && hasInner) return undefined
    const label = isOwn ? this.#text.slice(start, this.#at) : behind.value
    const target = this.#references.target(normalizeLabel(label))
    return target && { value: target, end: behind?.end ?? this.#at + 1 }
  }

  #finish(bracket: Bracket, { value: { href, title }, end }: Found<Target>): void {
    pairRuns(this.#lastRun, bracket.run)
    this.#forgetRuns(bracket)
    this.#at = end
    if (bracket.isImage) {
      const alt = piecesPlain(this.#pieces, bracket.piece + 1)
      this.#pieces.length = bracket.piece
      this.#pieces.push({ html: '', plain: alt, src: href })
    } else {
      this.#pieces[bracket.piece] = linkStart(href, title)
      this.#pieces.push(LINK_END)
      this.#holders = this.#brackets.length
    }
  }

  #note(bracket: Bracket): boolean {
    const { start, piece, hasInner, isImage } = bracket
    if (hasInner || this.#text[start] !== '^') return false
    const html = this.#references.note(normalizeLabel(this.#text.slice(start + 1, this.#at)))
    if (html === undefined) return false
    this.#forgetRuns(bracket)
    this.#pieces.length = piece
    if (isImage) this.#pieces.push(textPiece('!'))
    this.#pieces.push({ html, plain: '' })
    this.#at += 1
    return true
  }

  #forgetRuns({ run }: Bracket): void {
    this.#lastRun = run
    if (run) run.after = undefined
  }
}

function lastRuns(text: string): Map<number, number> {
  return new Map(Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => [run.length, index]))
}
