/** Renders untrusted Markdown as safe HTML. */
import { escapeEscaped, escapeText } from './escape.ts'
import { parseInline, type References } from './inline.ts'
import { piecesHtml, piecesPlain, type Piece } from './pieces.ts'
import type {
  Align,
  Block,
  CodeBlock,
  Container,
  ListBlock,
  TableBlock,
  Target,
  Tree,
} from './tree.ts'
import { parseBlocks } from './blocks.ts'

/** Extra budget for link targets: thousands of links may refer to one long URL. */
const SPARE_TARGET_LENGTH = 100_000

/** A footnote that is referenced. */
interface Note {
  readonly container: Container
  readonly number: number
  calls: number
}

/**
 * GitHub Flavored Markdown without raw HTML, in linear time: general-purpose parsers are quadratic
 * for some input, which untrusted documents could exploit.
 *
 * @param origin Of the service; only its images are shown.
 * @returns HTML, and the text of the first heading as HTML.
 */
export function renderMarkdown(source: string, origin: string) {
  const writer = new HtmlWriter(parseBlocks(source), `${origin}/`, source.length)
  const html = writer.write()
  return { html, title: writer.title || undefined }
}

class HtmlWriter implements References {
  readonly #tree: Tree
  readonly #ownAddress: string
  /** In order of first reference. */
  readonly #notes = new Map<string, Note>()
  #targetLength: number
  /** Plain text of the first heading, escaped. */
  title: string | undefined

  constructor(tree: Tree, ownAddress: string, sourceLength: number) {
    this.#tree = tree
    this.#ownAddress = ownAddress
    this.#targetLength = sourceLength + SPARE_TARGET_LENGTH
  }

  write(): string {
    return [this.#blocks(this.#tree.root.children), ...this.#footnotes()].join('\n')
  }

  target(label: string): Target | undefined {
    const target = this.#tree.definitions.get(label)
    if (target) this.#targetLength -= target.href.length + target.title.length
    return this.#targetLength < 0 ? undefined : target
  }

  note(label: string): string | undefined {
    const container = this.#tree.notes.get(label)
    if (!container) return undefined
    const known = this.#notes.get(label)
    const note = known ?? { container, number: this.#notes.size + 1, calls: 0 }
    this.#notes.set(label, note)
    note.calls += 1
    const { number } = note
    const id = callId(number, note.calls)
    return `<sup><a href="#fn-${number}" id="${id}" aria-describedby="footnotes">${number}</a></sup>`
  }

  #footnotes(): string[] {
    const items: string[] = []
    // Notes may reference further notes, which are appended to the map meanwhile.
    for (const { number, container } of this.#notes.values()) {
      items.push(`<li id="fn-${number}">\n${this.#blocks(container.children)}\n`)
    }
    // Only now, when all references are counted.
    const closed = [...this.#notes.values()].map(({ number, calls }, index) => {
      const back = Array.from({ length: calls }, (_, call) => {
        const href = callId(number, call + 1)
        return `<a href="#${href}" aria-label="Back to the text">↩</a>`
      })
      return `${items[index]}<p>${back.join(' ')}</p>\n</li>`
    })
    if (closed.length === 0) return []
    const heading = '<h2 id="footnotes" class="sr-only">Footnotes</h2>'
    return [`<section class="footnotes">${heading}\n<ol>\n${closed.join('\n')}\n</ol>\n</section>`]
  }

  #blocks(blocks: readonly Block[], isTight = false): string {
    return blocks.flatMap((block) => this.#block(block, isTight) ?? []).join('\n')
  }

  #block(block: Block, isTight: boolean): string | undefined {
    switch (block.type) {
      case 'paragraph': {
        if (block.text === '') return undefined
        const html = this.#inline(block.text)
        return isTight ? html : `<p>${html}</p>`
      }
      case 'heading': {
        const pieces = parseInline(block.text, this)
        this.title ??= piecesPlain(pieces).trim()
        return `<h${block.level}>${this.#html(pieces)}</h${block.level}>`
      }
      case 'code':
        return codeHtml(block)
      case 'table':
        return this.#table(block)
      case 'list':
        return this.#list(block)
      case 'break':
        return '<hr />'
      default:
        return `<blockquote>\n${this.#blocks(block.children)}\n</blockquote>`
    }
  }

  #list({ start, isLoose, children }: ListBlock): string {
    const tag = start === undefined ? 'ul' : 'ol'
    const number = start === undefined || start === 1 ? '' : ` start="${start}"`
    const items = children.map((item) => `<li>${this.#item(item, !isLoose)}</li>`)
    return `<${tag}${number}>\n${items.join('\n')}\n</${tag}>`
  }

  #item({ children }: Container, isTight: boolean): string {
    const [first, ...rest] = children
    const task = first?.type === 'paragraph' ? /^\[([ xX])\]\s+(?=\S)/.exec(first.text) : null
    const box = task ? checkbox(task[1] !== ' ') : ''
    const blocks =
      task && first?.type === 'paragraph'
        ? [{ ...first, text: first.text.slice(task[0].length) }, ...rest]
        : children
    const html = box + this.#blocks(blocks, isTight)
    if (children.length === 0) return ''
    const isInline = isTight && first?.type === 'paragraph'
    const isClosed = isTight && children.at(-1)?.type === 'paragraph'
    return `${isInline || box ? '' : '\n'}${html}${isClosed ? '' : '\n'}`
  }

  #table({ aligns, rows }: TableBlock): string {
    const [heads, ...body] = rows.map((row, index) => {
      const tag = index === 0 ? 'th' : 'td'
      // Missing cells are not filled in: wide tables of empty rows would give quadratic output.
      const cells = row.slice(0, aligns.length).map((cell, column) => {
        return `<${tag}${alignOf(aligns[column])}>${this.#inline(cell)}</${tag}>`
      })
      return `<tr>\n${cells.join('\n')}\n</tr>`
    })
    const frame = '<div class="wide" role="region" aria-label="Table" tabindex="0">'
    const filled = body.length > 0 ? `\n<tbody>\n${body.join('\n')}\n</tbody>` : ''
    return `${frame}<table>\n<thead>\n${heads}\n</thead>${filled}\n</table></div>`
  }

  #inline(text: string): string {
    return this.#html(parseInline(text, this))
  }

  #html(pieces: readonly Piece[]): string {
    return piecesHtml(pieces, this.#ownAddress)
  }
}

function callId(number: number, call: number): string {
  return call === 1 ? `fnref-${number}` : `fnref-${number}-${call}`
}

function codeHtml({ lines, info }: CodeBlock): string {
  const language = /^\S*/.exec(info)![0]
  const name = language && ` class="language-${escapeEscaped(language)}"`
  const code = lines.map((line) => `${escapeText(line)}\n`).join('')
  return `<pre tabindex="0"><code${name}>${code}</code></pre>`
}

function checkbox(isDone: boolean): string {
  const [checked, label] = isDone ? [' checked=""', 'Done'] : ['', 'To do']
  return `<input type="checkbox" disabled=""${checked} aria-label="${label}"> `
}

function alignOf(align: Align): string {
  return align ? ` align="${align}"` : ''
}
